-- Applications with their history. Erasing a candidate leaves anonymous stubs without a candidate or a cover letter.

create table application (
  id text collate "C" primary key,
  job_id text collate "C" not null constraint application_job_fkey references job on delete cascade,
  -- A copy from the job, so that an employer's list across jobs uses a single index.
  employer_id text collate "C" not null constraint application_employer_fkey references employer on delete cascade,
  candidate_id text collate "C" constraint application_candidate_fkey references candidate on delete set null,
  cover_letter text not null,
  -- Answers by question ID.
  answers jsonb not null,
  resume_id text collate "C" constraint application_resume_fkey references resume on delete set null,
  status text collate "C" not null default 'pending'
    constraint application_status_check check (status in ('pending', 'reviewed', 'contacted', 'rejected', 'hired')),
  applied_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  withdrawn_at timestamptz(3),
  withdrawal_reason text,
  -- When the candidate's profile was erased.
  erased_at timestamptz(3)
);
-- One application per candidate and job. After a withdrawal, the candidate can apply again.
create unique index application_candidate_job_key on application (candidate_id, job_id) where withdrawn_at is null;
create index application_candidate_applied_idx on application (candidate_id, applied_at, id);
create index application_candidate_updated_idx on application (candidate_id, updated_at, id);
create index application_employer_applied_idx on application (employer_id, applied_at, id);
create index application_employer_updated_idx on application (employer_id, updated_at, id);
-- For the admins' list. The first index provides the total for any filters without reading the wide table.
create index application_applied_idx on application (applied_at, id) include (status, job_id, candidate_id);
create index application_updated_idx on application (updated_at, id);
create index application_job_applied_idx on application (job_id, applied_at, id);
create index application_employer_candidate_idx on application (employer_id, candidate_id);
create index application_resume_idx on application (resume_id) where resume_id is not null;

create table application_status_change (
  application_id text collate "C" not null
    constraint application_status_change_application_fkey references application on delete cascade,
  -- Counts from 1, in chronological order.
  position integer not null,
  status text collate "C" not null,
  -- The employer's private note, which candidates never see.
  reason text,
  at timestamptz(3) not null,
  constraint application_status_change_pkey primary key (application_id, position)
);

create table saved_job (
  candidate_id text collate "C" not null constraint saved_job_candidate_fkey references candidate on delete cascade,
  job_id text collate "C" not null constraint saved_job_job_fkey references job on delete cascade,
  saved_at timestamptz(3) not null,
  constraint saved_job_pkey primary key (candidate_id, job_id)
);
create index saved_job_saved_idx on saved_job (candidate_id, saved_at, job_id);
create index saved_job_job_idx on saved_job (job_id);
