-- Reports of jobs by readers, and jobs that an operator removed from the board (decision 0054). Additive: the
-- constraint prevents the previous release from putting removed jobs back on the board.

alter table job add column removed_at timestamptz(3);
-- The reason given to the employer.
alter table job add column removal_reason text;
-- Whether restoring the job puts it back on the board.
alter table job add column removed_from_board boolean not null default false;
-- Does not check existing rows, because none of these jobs is removed.
alter table job add constraint job_removed_off_board_check check (removed_at is null or state <> 'active') not valid;

create table job_report (
  id text collate "C" primary key,
  job_id text collate "C" not null constraint job_report_job_fkey references job on delete cascade,
  employer_id text collate "C" not null,
  -- Null: the reporter has no account, or was erased.
  reporter_id text collate "C" constraint job_report_reporter_fkey references account on delete set null,
  -- For visitors, while the report is open: a keyed hash of the network, different for every job.
  network_hash text collate "C",
  reason text collate "C" not null,
  message text,
  status text collate "C" not null default 'open'
    constraint job_report_status_check check (status in ('open', 'upheld', 'dismissed')),
  -- The reason given to the employer, or the operator's note.
  note text,
  created_at timestamptz(3) not null,
  decided_at timestamptz(3),
  decided_by text collate "C" constraint job_report_decider_fkey references account on delete set null
);
-- One open report per job and account, or per job and network.
create unique index job_report_account_key on job_report (job_id, reporter_id) where status = 'open';
create unique index job_report_network_key on job_report (job_id, network_hash) where status = 'open';
create index job_report_created_idx on job_report (created_at, id);
create index job_report_status_idx on job_report (status, created_at, id);
create index job_report_job_idx on job_report (job_id, created_at, id);
create index job_report_reporter_idx on job_report (reporter_id, created_at, id);
