-- The email queue, and job alerts with their matches.

-- Requests for emails. The service composes the text of an email from current data when it sends the email.
create table mail (
  id text collate "C" primary key,
  kind text collate "C" not null,
  -- The recipient.
  account_id text collate "C" not null constraint mail_account_fkey references account on delete cascade,
  -- The alert or application that the email is about.
  subject_id text collate "C" not null,
  details jsonb not null,
  -- dropped: the email was no longer needed, or its recipient gets no emails. unknown: the process ended while it
  -- handed the email to the server, so the email may have arrived and is not sent again.
  state text collate "C" not null default 'pending'
    constraint mail_state_check check (state in ('pending', 'sent', 'dropped', 'failed', 'unknown')),
  attempts integer not null default 0,
  due_at timestamptz(3) not null,
  -- Until this time, a worker is sending the email.
  lease_until timestamptz(3),
  handed_over_at timestamptz(3),
  last_error text,
  created_at timestamptz(3) not null,
  settled_at timestamptz(3)
);
create index mail_due_idx on mail (due_at, id) where state = 'pending';
-- For emails whose process may have died during the handover.
create index mail_handed_over_idx on mail (lease_until) where state = 'pending' and handed_over_at is not null;
create index mail_account_idx on mail (account_id);
create index mail_subject_idx on mail (subject_id);
create index mail_settled_idx on mail (settled_at) where settled_at is not null;

create table job_alert (
  id text collate "C" primary key,
  candidate_id text collate "C" not null constraint job_alert_candidate_fkey references candidate on delete cascade,
  name text not null,
  name_sort text collate "C" not null,
  -- Typed JSON with the parameter names of GET /jobs.
  criteria jsonb not null,
  -- A job that meets the criteria has at least one of these terms (job-alerts.anchors.ts).
  anchors text[] not null,
  frequency text collate "C" not null
    constraint job_alert_frequency_check check (frequency in ('instant', 'daily', 'weekly')),
  is_active boolean not null default true,
  -- Only jobs that reached the board since this time match. Set on creation, on reactivation and when criteria change.
  watches_from timestamptz(3) not null,
  last_run_at timestamptz(3),
  -- Null: nothing is due, because the alert is instant or inactive.
  next_run_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index job_alert_candidate_idx on job_alert (candidate_id, created_at, id);
create index job_alert_due_idx on job_alert (next_run_at, id) where next_run_at is not null;
-- Disables the pending list, because every search would read it, which takes seconds.
create index job_alert_anchors_idx on job_alert using gin (anchors) with (fastupdate = off)
  where is_active and frequency = 'instant';
-- For checking whether any instant alert exists.
create index job_alert_instant_idx on job_alert (id) where is_active and frequency = 'instant';

-- The jobs that an alert has matched. A job matches an alert only once.
create table job_alert_match (
  alert_id text collate "C" not null constraint job_alert_match_alert_fkey references job_alert on delete cascade,
  job_id text collate "C" not null constraint job_alert_match_job_fkey references job on delete cascade,
  mail_id text collate "C" not null,
  matched_at timestamptz(3) not null,
  constraint job_alert_match_pkey primary key (alert_id, job_id)
);
create index job_alert_match_mail_idx on job_alert_match (mail_id);
create index job_alert_match_job_idx on job_alert_match (job_id);

-- When the job last reached the board, by activation, reopening or import.
alter table job add column visible_since timestamptz(3);
update job set visible_since = activated_at where state = 'active';

-- Jobs that reached the board but have not been matched with the instant alerts yet.
create table newly_visible_job (
  job_id text collate "C" primary key constraint newly_visible_job_job_fkey references job on delete cascade,
  visible_at timestamptz(3) not null
);
create index newly_visible_job_visible_idx on newly_visible_job (visible_at, job_id);
