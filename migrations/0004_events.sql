-- Events, written in the transaction that causes them. Every receiver gets the exact text in body.

create table event (
  id text collate "C" primary key,
  type text collate "C" not null,
  subject_id text collate "C" not null,
  -- The accounts that can read the event, in addition to admins and integrators.
  employer_id text collate "C",
  candidate_id text collate "C",
  body text not null,
  created_at timestamptz(3) not null
);
create index event_created_idx on event (created_at, id);
create index event_subject_idx on event (subject_id);
create index event_employer_idx on event (employer_id, created_at, id) where employer_id is not null;
create index event_candidate_idx on event (candidate_id, created_at, id) where candidate_id is not null;
