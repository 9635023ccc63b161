-- Stores which jobs look like copies, for operators to compare (decision 0132). Additive: the previous release neither
-- reads nor writes the table.

-- The job that each job resembles most. Only jobs on the board that feeds maintain have a row. Pairs that
-- an operator has judged have none.
create table suspected_copy (
  job_id text collate "C" primary key,
  other_id text collate "C" not null,
  similarity real not null,
  is_folded boolean not null,
  found_at timestamptz(3) not null
);
create index suspected_copy_found_idx on suspected_copy (is_folded, found_at, job_id);
