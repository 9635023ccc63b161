-- Stores which jobs are hybrid. `remote` takes precedence, because a process of the previous release sets only this
-- column. Additive.

alter table job add column if not exists is_hybrid boolean not null default false;

create or replace trigger job_board_change before update of
  employer_id, title, company, location, description, salary_min, salary_max, salary_currency, salary_period, category,
  type, remote, is_hybrid, skills, experience_level, language, application_url, is_featured, is_urgent, is_highlighted,
  posted_at, expires_at, state, expiry_announced_at, board_changed_at, duplicate_of
on job for each row when (
  (old.employer_id, old.title, old.company, old.location, old.description, old.salary_min, old.salary_max,
    old.salary_currency, old.salary_period, old.category, old.type, old.remote, old.is_hybrid, old.skills,
    old.experience_level, old.language, old.application_url, old.is_featured, old.is_urgent, old.is_highlighted,
    old.posted_at, old.expires_at, old.state, old.expiry_announced_at, old.board_changed_at, old.duplicate_of)
  is distinct from
  (new.employer_id, new.title, new.company, new.location, new.description, new.salary_min, new.salary_max,
    new.salary_currency, new.salary_period, new.category, new.type, new.remote, new.is_hybrid, new.skills,
    new.experience_level, new.language, new.application_url, new.is_featured, new.is_urgent, new.is_highlighted,
    new.posted_at, new.expires_at, new.state, new.expiry_announced_at, new.board_changed_at, new.duplicate_of))
execute function note_board_change();
