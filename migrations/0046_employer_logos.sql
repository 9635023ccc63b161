-- Logos that employers upload, re-encoded as WebP. `employer.logo_url` contains the URL, which ends in `file`. The
-- name is derived from the bytes, so employers with the same logo share it.

create table employer_logo (
  employer_id text primary key references employer (id),
  file text not null,
  bytes bytea not null
);
create index employer_logo_file on employer_logo (file);
