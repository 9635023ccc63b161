-- Jobs, with columns for sorting, filtering and searching. Columns whose names end in _sort or _words contain folded
-- text. The service computes this text, so that all databases compare identically.

create table job (
  -- Columns that nearly every scan reads come first and have a fixed length, because PostgreSQL reads past all
  -- preceding columns. With expires_at near the end, counting 20,000 matches of a search took twice as long.
  expires_at timestamptz(3),
  posted_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  application_count integer not null default 0,
  remote boolean not null default false,
  is_featured boolean not null default false,
  is_urgent boolean not null default false,
  is_highlighted boolean not null default false,
  id text collate "C" primary key,
  state text collate "C" not null default 'inactive'
    constraint job_state_check check (state in ('inactive', 'active', 'closed', 'deleted')),
  employer_id text collate "C" not null constraint job_employer_fkey references employer on delete cascade,
  category text collate "C" not null,
  type text collate "C" not null,
  experience_level text collate "C",
  -- The annual bounds. A range with only one bound stores it in both columns.
  salary_annual_low bigint,
  salary_annual_high bigint,
  salary_min bigint,
  salary_max bigint,
  salary_currency text collate "C",
  salary_period text collate "C",
  title text not null,
  title_sort text collate "C" not null,
  company text not null,
  company_sort text collate "C" not null,
  location text not null,
  location_sort text collate "C" not null,
  location_words text[] not null,
  description text not null,
  requirements text[] not null default '{}',
  benefits text[] not null default '{}',
  skills text[] not null default '{}',
  skills_folded text[] not null default '{}',
  custom_questions jsonb not null default '[]',
  application_url text,
  contact_email text,
  -- The first and the latest activation. A payment covers the latest activation.
  first_activated_at timestamptz(3),
  activated_at timestamptz(3),
  -- Set together with the job.expired event, so that each activation has exactly one event.
  expiry_announced_at timestamptz(3),
  deleted_at timestamptz(3),
  close_reason text,
  import_key text collate "C" constraint job_import_key unique,
  search tsvector not null,
  constraint job_active_has_expiry_check check (state not in ('active', 'closed') or expires_at is not null)
)
-- Moves long descriptions to the TOAST table, like the search vector. Each page then stores twice as many rows, so
-- counting matches is a third faster. A page of a list reads only 20 descriptions.
with (toast_tuple_target = 1024);

-- The visible board consists of active jobs whose expires_at is in the future. Each sortable field of active jobs has
-- an index. Indexes that also provide a total include expires_at, so that counting does not read the table.
create index job_posted_idx on job (posted_at, id) include (expires_at) where state = 'active';
create index job_title_idx on job (title_sort, id) where state = 'active';
create index job_location_idx on job (location_sort, id) where state = 'active';
create index job_company_idx on job (company_sort, id) include (expires_at) where state = 'active';
create index job_application_count_idx on job (application_count, id) where state = 'active';
create index job_salary_asc_idx on job (coalesce(salary_annual_high, 9007199254740991), id) where state = 'active';
create index job_salary_desc_idx on job (coalesce(salary_annual_high, -1), id) where state = 'active';
-- Indexes for words and skills.
create index job_search_idx on job using gin (search) where state = 'active';
create index job_location_words_idx on job using gin (location_words) where state = 'active';
create index job_skills_idx on job using gin (skills_folded) where state = 'active';
-- Indexes for values that select few jobs.
create index job_category_idx on job (category, posted_at, id) include (expires_at) where state = 'active';
create index job_type_idx on job (type, posted_at, id) include (expires_at) where state = 'active';
-- Provides the total of the whole board in a third of the time that the wider index below takes.
create index job_visible_idx on job (expires_at) where state = 'active';
-- Provides the total for any combination of plain filters without reading the wide table.
create index job_totals_idx on job (expires_at) include (
  category, type, remote, experience_level, is_featured, salary_annual_low, salary_annual_high, salary_min, salary_max,
  salary_currency, company_sort, posted_at
) where state = 'active';

-- For the owner's list and for an employer's open positions.
create index job_employer_idx on job (employer_id, posted_at, id) where state <> 'deleted';
create index job_employer_open_idx on job (employer_id, expires_at) where state = 'active';
-- For expiries without a job.expired event.
create index job_expiring_idx on job (expires_at) where state in ('active', 'closed') and expiry_announced_at is null;
