-- Lets every process keep the jobs on the board in memory and follow their changes (decision 0026). Adding the column
-- number rewrites the job table under a lock, which takes a minute for a million jobs.

-- A small number per job, because sets of jobs are stored as bits.
alter table job add column number integer not null generated always as identity;

-- The transaction that last wrote the row. A reader that has seen all transactions below an ID finds later commits
-- through an index, regardless of their order.
alter table job add column changed_xid xid8 not null default '0';
alter table employer add column changed_xid xid8 not null default '0';
create index job_changed_idx on job (changed_xid);
create index employer_changed_idx on employer (changed_xid);

create function note_change() returns trigger language plpgsql as $$
begin
  new.changed_xid := pg_current_xact_id();
  return new;
end
$$;
create trigger job_changed before insert or update on job for each row execute function note_change();
create trigger employer_changed before insert or update on employer for each row execute function note_change();

-- Records deletions of jobs, so that every process removes these jobs from memory.
create table removed_job (
  number integer not null,
  changed_xid xid8 not null
);
create index removed_job_changed_idx on removed_job (changed_xid);

create function note_removal() returns trigger language plpgsql as $$
begin
  insert into removed_job (number, changed_xid) values (old.number, pg_current_xact_id());
  return null;
end
$$;
create trigger job_removed after delete on job for each row execute function note_removal();
