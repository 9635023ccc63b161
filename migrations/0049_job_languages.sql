-- migrate: outside-transaction
-- Stores the language of each job, so that searches stem its words by that language's rules (decision 0094). Nothing is
-- rewritten: a background task detects the languages of existing jobs and recreates their search vectors.

-- A language tag. Null: not detected yet.
alter table job add column if not exists language text;

-- The backlog of that task. It stays empty once the task is done.
create index concurrently if not exists job_without_language_idx on job (id) where language is null;

-- Lists show the language, so mirrors and processes reload a job when its language changes.
create or replace trigger job_board_change before update of
  employer_id, title, company, location, description, salary_min, salary_max, salary_currency, salary_period, category,
  type, remote, skills, experience_level, language, application_url, is_featured, is_urgent, is_highlighted, posted_at,
  expires_at, state, expiry_announced_at, board_changed_at
on job for each row when (
  (old.employer_id, old.title, old.company, old.location, old.description, old.salary_min, old.salary_max,
    old.salary_currency, old.salary_period, old.category, old.type, old.remote, old.skills, old.experience_level,
    old.language, old.application_url, old.is_featured, old.is_urgent, old.is_highlighted, old.posted_at, old.expires_at,
    old.state, old.expiry_announced_at, old.board_changed_at)
  is distinct from
  (new.employer_id, new.title, new.company, new.location, new.description, new.salary_min, new.salary_max,
    new.salary_currency, new.salary_period, new.category, new.type, new.remote, new.skills, new.experience_level,
    new.language, new.application_url, new.is_featured, new.is_urgent, new.is_highlighted, new.posted_at, new.expires_at,
    new.state, new.expiry_announced_at, new.board_changed_at))
execute function note_board_change();

-- The anchors of alerts that search for words now include the stems in all languages.
create index concurrently if not exists job_alert_anchors_idx on job_alert (id) where anchors_version < 3;
drop index concurrently if exists job_alert_outdated_idx;
