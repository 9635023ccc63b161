-- Records how far each index of the search engine has followed this database (decision 0135). Lists use the current
-- index while a new one is filled.
create table search_index (
  name text primary key,
  -- The index contains the changes of all transactions with lower IDs.
  horizon xid8 not null default '0',
  -- The history to which transaction IDs belong. Another server, for example after a failover, may reuse them.
  server text not null,
  -- Increases with each new server, because versions must grow even if transaction IDs are reused.
  epoch integer not null default 1,
  -- Increases whenever documents are written.
  edition bigint not null default 0,
  -- The job up to which the index has been filled, in the order of numbers. Null: filled.
  filled_to integer,
  is_current boolean not null default false,
  created_at timestamptz(3) not null,
  -- When the index last contained all changes.
  followed_at timestamptz(3) not null,
  -- The process that updates the index, and the time until which other processes leave the index to it.
  follower text,
  leased_until timestamptz(3)
);
create unique index search_index_current_idx on search_index (is_current) where is_current;

-- Documents that the engine refused. Lists omit these jobs until they change.
create table search_refusal (
  name text not null references search_index on delete cascade,
  number integer not null,
  reason text not null,
  refused_at timestamptz(3) not null,
  primary key (name, number)
);
