-- When the visible part of a job last changed, and when the job left the board, for mirrors (decision 0030). Writes no
-- rows: existing jobs count as changed now, because nobody has mirrored them yet.

-- Uses the database's clock, so that one clock orders the writes of all processes. Null until the job is on the board.
alter table job add column board_changed_at timestamptz(3) default now();
alter table job alter column board_changed_at drop default;
-- When a write removed the job from the board, or when it expired, if earlier. An active job leaves at expires_at.
alter table job add column left_board_at timestamptz(3);

-- An update that sets board_changed_at to null recomputes it, for visible changes in another table.
create function note_board_change() returns trigger language plpgsql as $$
declare
  was_on_board boolean := old.state = 'active' and old.expires_at > new.updated_at;
  is_on_board boolean := new.state = 'active' and new.expires_at > new.updated_at;
  is_expiry boolean := old.expiry_announced_at is null and new.expiry_announced_at is not null;
begin
  new.board_changed_at := old.board_changed_at;
  if old.state = 'active' and new.state <> 'active' then
    new.left_board_at := least(old.expires_at, new.updated_at);
  end if;
  if (was_on_board or is_on_board) and not is_expiry then
    -- Assigns the transaction ID before the time: once all transactions below an ID have ended, no earlier time can
    -- appear.
    perform pg_current_xact_id();
    new.board_changed_at := clock_timestamp();
  elsif old.state = 'active' then
    -- The job left the board when it expired, even if the service noticed this later.
    new.board_changed_at := greatest(old.board_changed_at, old.expires_at);
  end if;
  return new;
end
$$;
create trigger job_board_entry before insert on job
  for each row when (new.state = 'active') execute function note_board_change();
-- The column list skips updates that set none of these columns. The comparison skips updates that do not change their
-- values.
create trigger job_board_change before update of
  employer_id, title, company, location, description, salary_min, salary_max, salary_currency, salary_period, category,
  type, remote, skills, experience_level, application_url, is_featured, posted_at, expires_at, state,
  expiry_announced_at, board_changed_at
on job for each row when (
  (old.employer_id, old.title, old.company, old.location, old.description, old.salary_min, old.salary_max,
    old.salary_currency, old.salary_period, old.category, old.type, old.remote, old.skills, old.experience_level,
    old.application_url, old.is_featured, old.posted_at, old.expires_at, old.state, old.expiry_announced_at,
    old.board_changed_at)
  is distinct from
  (new.employer_id, new.title, new.company, new.location, new.description, new.salary_min, new.salary_max,
    new.salary_currency, new.salary_period, new.category, new.type, new.remote, new.skills, new.experience_level,
    new.application_url, new.is_featured, new.posted_at, new.expires_at, new.state, new.expiry_announced_at,
    new.board_changed_at))
execute function note_board_change();

-- Separate indexes for jobs that may be on the board and jobs that left it, so that a new mirror skips years of old
-- jobs.
create index job_board_changed_idx on job (board_changed_at, id) include (expires_at)
  where state = 'active' and expiry_announced_at is null;
create index job_left_board_idx on job (board_changed_at, id)
  where first_activated_at is not null and (state <> 'active' or expiry_announced_at is not null);
