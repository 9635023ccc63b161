-- The board's own face: name, color, logo and legal pages, which admins edit. `brand` has one row, without a name until an
-- admin has set up the board. Every change of the row or of a page raises `version`, so that all processes notice it.

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

create table board_page (
  slug text collate "C" primary key,
  title text not null,
  text text not null,
  language text not null,
  updated_at timestamptz(3) not null
);
