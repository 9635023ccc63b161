-- The board's appearance: name, color and logo, which admins edit. `brand` has one row, without a name until an admin
-- has set up the board. Every change raises `version`, so that all processes notice it.

create table brand (
  id boolean primary key default true check (id),
  version integer not null,
  name text,
  tagline text,
  description text,
  accent_color text,
  contact_email text,
  logo_type text,
  logo_bytes bytea,
  check ((logo_type is null) = (logo_bytes is null))
);
insert into brand (version) values (0);
