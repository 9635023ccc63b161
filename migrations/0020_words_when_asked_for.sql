-- The service creates a job's search vector when somebody can search for the job: at its activation, or when its owner
-- searches drafts (decision 0050). Until then, the vector is null.
create index job_wordless_idx on job (employer_id, id) where search is null and state <> 'deleted';

-- A process of the previous release activates jobs without creating the vector. Searches do not find such a job until a
-- task of this release has run.
create or replace function keep_words() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' and new.state = 'active' then
    insert into job_search values (new.number, coalesce(new.search, ''))
    on conflict (number) do update set search = excluded.search;
    insert into job_headings values (new.number, coalesce(ts_filter(new.search, '{a,b}'), ''))
    on conflict (number) do update set headings = excluded.headings;
  else
    delete from job_search where number = old.number;
    delete from job_headings where number = old.number;
  end if;
  return null;
end
$$;

-- Runs last, because it blocks reads of the table until the migration ends.
alter table job alter column search drop not null;
