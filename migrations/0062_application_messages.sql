-- Candidates and employers exchange messages about an application. Additive: the previous release does not use the
-- table.

create table application_message (
  id text collate "C" primary key,
  application_id text collate "C" not null
    constraint application_message_application_fkey references application on delete cascade,
  is_from_employer boolean not null,
  text text not null,
  created_at timestamptz(3) not null,
  read_at timestamptz(3)
);
create index application_message_application_idx on application_message (application_id, created_at, id);
