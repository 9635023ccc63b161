-- Gives every event a position for the event stream (decision 0106). Uses a separate table, because a new column with
-- indexes on event would block writes while the indexes are built.

create table event_position (
  -- Drawn after the transaction has its ID, and after it has locked the event's subject.
  position bigint generated always as identity primary key,
  event_id text collate "C" not null,
  employer_id text collate "C",
  candidate_id text collate "C",
  created_at timestamptz(3) not null
);

-- Blocks no writes. A second pass below adds the events that are written meanwhile.
insert into event_position (event_id, employer_id, candidate_id, created_at)
select id, employer_id, candidate_id, created_at from event order by created_at, id;
create index event_position_employer_idx on event_position (employer_id, position) where employer_id is not null;
create index event_position_candidate_idx on event_position (candidate_id, position) where candidate_id is not null;

-- A trigger, so that events of the previous release also get a position.
create function note_event_position() returns trigger language plpgsql as $$
begin
  insert into event_position (event_id, employer_id, candidate_id, created_at)
  select id, employer_id, candidate_id, created_at from written order by created_at, id;
  return null;
end
$$;
create trigger event_written after insert on event
  referencing new table as written for each statement execute function note_event_position();
insert into event_position (event_id, employer_id, candidate_id, created_at)
select id, employer_id, candidate_id, created_at from event
where created_at > now() - interval '1 day' and not exists (select from event_position where event_id = event.id)
order by created_at, id;
