-- Pages mark urgent and highlighted jobs in every list. The trigger now also notices changes to these two columns, so
-- that processes reload the job.

drop trigger job_board_change on job;
create trigger job_board_change before update of
  employer_id, title, company, location, description, salary_min, salary_max, salary_currency, salary_period, category,
  type, remote, skills, experience_level, application_url, is_featured, is_urgent, is_highlighted, posted_at, expires_at,
  state, expiry_announced_at, board_changed_at
on job for each row when (
  (old.employer_id, old.title, old.company, old.location, old.description, old.salary_min, old.salary_max,
    old.salary_currency, old.salary_period, old.category, old.type, old.remote, old.skills, old.experience_level,
    old.application_url, old.is_featured, old.is_urgent, old.is_highlighted, old.posted_at, old.expires_at, old.state,
    old.expiry_announced_at, old.board_changed_at)
  is distinct from
  (new.employer_id, new.title, new.company, new.location, new.description, new.salary_min, new.salary_max,
    new.salary_currency, new.salary_period, new.category, new.type, new.remote, new.skills, new.experience_level,
    new.application_url, new.is_featured, new.is_urgent, new.is_highlighted, new.posted_at, new.expires_at, new.state,
    new.expiry_announced_at, new.board_changed_at))
execute function note_board_change();
