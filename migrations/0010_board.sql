-- What lets every process keep the jobs on the board in its memory and follow their changes (decision 0026).
-- Adding the number writes the table of jobs anew under its lock: a minute for a million jobs, once.

-- A small number for each job: sets of jobs are kept as bits.
alter table job add column number integer not null generated always as identity;

-- The transaction that wrote the row last. A reader that has seen all transactions below one number finds in an index
-- what others have committed since, in whatever order they did.
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

-- The service deletes no row of a job; whoever does by hand is noticed all the same.
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
