-- migrate: outside-transaction
-- Folds copies of jobs. Nothing is rewritten: a background task compares the jobs that are already on the board.

-- The job that lists show instead of this one. Set only for jobs that a feed maintains and that are on the board.
alter table job add column if not exists duplicate_of text collate "C";

-- Mirrors and processes reload a job when it is folded.
create or replace trigger job_board_change before update of
  employer_id, title, company, location, description, salary_min, salary_max, salary_currency, salary_period, category,
  type, remote, skills, experience_level, language, application_url, is_featured, is_urgent, is_highlighted, posted_at,
  expires_at, state, expiry_announced_at, board_changed_at, duplicate_of
on job for each row when (
  (old.employer_id, old.title, old.company, old.location, old.description, old.salary_min, old.salary_max,
    old.salary_currency, old.salary_period, old.category, old.type, old.remote, old.skills, old.experience_level,
    old.language, old.application_url, old.is_featured, old.is_urgent, old.is_highlighted, old.posted_at, old.expires_at,
    old.state, old.expiry_announced_at, old.board_changed_at, old.duplicate_of)
  is distinct from
  (new.employer_id, new.title, new.company, new.location, new.description, new.salary_min, new.salary_max,
    new.salary_currency, new.salary_period, new.category, new.type, new.remote, new.skills, new.experience_level,
    new.language, new.application_url, new.is_featured, new.is_urgent, new.is_highlighted, new.posted_at, new.expires_at,
    new.state, new.expiry_announced_at, new.board_changed_at, new.duplicate_of))
execute function note_board_change();

create or replace trigger job_compare_new after insert on job
  for each row when (new.state = 'active') execute function note_job_to_compare();
create or replace trigger job_compare_changed after update of
  title, company, location, description, requirements, benefits, places, source, state, expires_at, expiry_announced_at
on job for each row when (
  (old.state = 'active' or new.state = 'active')
  and (old.title, old.company, old.location, old.description, old.requirements, old.benefits, old.places, old.source,
    old.state, old.expires_at, old.expiry_announced_at)
  is distinct from
  (new.title, new.company, new.location, new.description, new.requirements, new.benefits, new.places, new.source,
    new.state, new.expires_at, new.expiry_announced_at))
execute function note_job_to_compare();

-- For counting an employer's listed jobs.
create index concurrently if not exists job_employer_listed_idx on job (employer_id, expires_at)
  where state = 'active' and duplicate_of is null;
drop index concurrently if exists job_employer_open_idx;

-- migrate: backfill table=job key=id batch=1000 quiet
insert into job_to_compare (job_id) select id from job where id = any($1) and state = 'active';
