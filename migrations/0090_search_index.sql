-- Records how far each index of the search engine has followed this database (decision 0135). Lists use the current
-- index; a new one is filled beside it.
create table search_index (
  name text primary key,
  -- The index contains the changes of all transactions below this one.
  horizon xid8 not null,
  -- The history to which transaction IDs belong. Another server, for example after a failover, may reuse them.
  server text not null,
  -- Increases whenever documents are written.
  edition bigint not null default 0,
  -- The job up to which the index has been filled, in the order of numbers. Null: filled.
  filled_to integer,
  is_current boolean not null default false,
  created_at timestamptz(3) not null,
  -- When the index last contained all changes.
  followed_at timestamptz(3) not null
);
create unique index search_index_current_idx on search_index (is_current) where is_current;
