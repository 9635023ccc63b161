-- Covers that employers upload, re-encoded as WebP like logos. `employer.cover_url` contains the URL, which ends in
-- `file`.

alter table employer add column cover_url text;
create table employer_cover (
  employer_id text primary key references employer (id),
  file text not null,
  bytes bytea not null
);
create index employer_cover_file on employer_cover (file);
