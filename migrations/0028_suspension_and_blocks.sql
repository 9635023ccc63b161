-- Suspension removes jobs from the board, and accounts can be closed. Operators can block email addresses and networks,
-- and request runs of background tasks (decisions 0066 and 0067).
-- Additive: a process of the previous release treats the jobs of a suspended employer as closed, and a closed account
-- as suspended. It does not enforce blocks and claims no runs.

-- A closed account is suspended, has no email address, and cannot be resumed.
alter table account add column closed_at timestamptz(3);

-- Whether a suspension removed the job from the board. Resuming the account puts the job back.
alter table job add column suspended_from_board boolean not null default false;

create table block (
  id text collate "C" constraint block_pkey primary key,
  kind text collate "C" not null constraint block_kind_check check (kind in ('address', 'network', 'email_domain')),
  -- Normalized: an email address as in account.email_key, a domain in lowercase ASCII, or a network in CIDR notation.
  value text collate "C" not null,
  reason text not null,
  created_at timestamptz(3) not null,
  -- The name of the key that created the block.
  created_by text not null,
  -- Null: the block applies until it is deleted.
  expires_at timestamptz(3),
  constraint block_kind_value_key unique (kind, value)
);
create index block_created_idx on block (created_at, id);

-- The latest requested run of each task.
create table task_run (
  task text collate "C" constraint task_run_pkey primary key,
  requested_at timestamptz(3) not null,
  -- The name of the key that requested the run.
  requested_by text not null,
  -- Null until a process claims it.
  started_at timestamptz(3),
  ended_at timestamptz(3),
  -- If the run's process dies, another process can claim the run after this time.
  lease_until timestamptz(3),
  -- The reason if the run failed.
  error text
);
