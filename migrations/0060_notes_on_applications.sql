-- Employers write notes on applications. Candidates never see these notes on the board. Additive: the previous release
-- does not use the table.

create table application_note (
  id text collate "C" primary key,
  application_id text collate "C" not null
    constraint application_note_application_fkey references application on delete cascade,
  text text not null,
  created_at timestamptz(3) not null
);
create index application_note_application_idx on application_note (application_id, created_at, id);
