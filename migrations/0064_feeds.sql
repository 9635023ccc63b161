-- Feeds import the jobs that employers manage elsewhere, and keep them up to date. Additive: the previous release does
-- not use the tables, and leaves the column empty.

create table feed (
  id text collate "C" primary key,
  -- The employer of all the feed's jobs. Null: a feed of the board, whose postings name their companies.
  employer_id text collate "C" constraint feed_employer_fkey references employer on delete cascade,
  name text not null,
  format text not null,
  -- The URL of the document. Null: a hosted format, which uses `board` instead, or a pushed feed.
  url text,
  board text,
  -- The host of the document. Only one process at a time sends requests to it.
  host text,
  company text,
  every_minutes integer not null,
  close_after_hours integer not null,
  is_active boolean not null,
  is_prepaid boolean not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  next_run_at timestamptz(3),
  -- Failed runs since the last successful one.
  failures integer not null default 0,
  etag text,
  last_modified text
);
create index feed_employer_idx on feed (employer_id, created_at, id);
create index feed_created_idx on feed (created_at, id);
create index feed_due_idx on feed (next_run_at) where is_active and next_run_at is not null;

create table feed_run (
  id text collate "C" primary key,
  feed_id text collate "C" not null constraint feed_run_feed_fkey references feed on delete cascade,
  state text not null constraint feed_run_state_check
    check (state in ('pending', 'running', 'succeeded', 'held', 'failed')),
  dry_run boolean not null,
  -- Whether a person has approved the closures of a held run.
  is_approved boolean not null default false,
  -- Whether the document is in feed_document_part.
  is_stored boolean not null default false,
  -- Whether the document has been compared. The rest of the run can then be repeated safely.
  is_compared boolean not null default false,
  -- The process that executes the run, until `leased_until`. Another process may then take over.
  lease text,
  leased_until timestamptz(3),
  created_at timestamptz(3) not null,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  counts jsonb not null,
  problems jsonb not null,
  held_reason text,
  etag text,
  last_modified text
);
create index feed_run_feed_idx on feed_run (feed_id, created_at, id);
create index feed_run_open_idx on feed_run (id) where state in ('pending', 'running');
create unique index feed_run_running_key on feed_run (feed_id) where state = 'running';
create unique index feed_run_held_key on feed_run (feed_id) where state = 'held';

-- The document of a run, compressed, until the run ends. Without a foreign key, because parts arrive before the run.
create table feed_document_part (
  run_id text collate "C",
  number integer,
  bytes bytea not null,
  primary key (run_id, number)
);

create table feed_posting (
  feed_id text collate "C" constraint feed_posting_feed_fkey references feed on delete cascade,
  external_id text collate "C",
  job_id text collate "C" not null constraint feed_posting_job_fkey references job on delete cascade,
  hash text not null,
  -- When the posting went missing from the feed. Null: not missing.
  missing_since timestamptz(3),
  -- When the service gave up waiting for the missing posting and closed its job.
  closed_at timestamptz(3),
  -- Whether the job would be on the board if the feed still had the posting.
  was_open boolean not null default false,
  -- When to extend a job whose posting has no deadline.
  renew_at timestamptz(3),
  primary key (feed_id, external_id)
);
create unique index feed_posting_job_key on feed_posting (job_id);
create index feed_posting_missing_idx on feed_posting (feed_id, missing_since) where missing_since is not null;
create index feed_posting_closed_idx on feed_posting (feed_id, external_id) where closed_at is not null;
create index feed_posting_renewal_idx on feed_posting (feed_id, renew_at) where renew_at is not null;

-- The posting from which a feed created the job: feed_id, external_id and url. Null: the job was not created by a feed.
alter table job add column source jsonb;
