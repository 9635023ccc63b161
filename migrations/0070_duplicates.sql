-- Copies of jobs (decision 0117). Additive: the previous release shows folded jobs like all others.

-- Jobs that appeared on the board, changed or left it since the last search for their copies. One row per change,
-- because a writer must not wait for the process that removes rows.
create table job_to_compare (
  number bigint generated always as identity primary key,
  job_id text collate "C" not null
);
create index job_to_compare_job_idx on job_to_compare (job_id);

-- The block of each job on the board. Only jobs in the same block can be copies.
create table job_block (
  job_id text collate "C" primary key,
  block bigint not null
);
create index job_block_idx on job_block (block, job_id);

-- Pairs that an operator has judged. The first job has the lower ID.
create table duplicate_decision (
  first_job_id text collate "C" constraint duplicate_decision_first_fkey references job on delete cascade,
  second_job_id text collate "C" constraint duplicate_decision_second_fkey references job on delete cascade,
  decision text not null constraint duplicate_decision_check check (decision in ('same', 'different')),
  decided_at timestamptz(3) not null,
  primary key (first_job_id, second_job_id)
);
create index duplicate_decision_second_idx on duplicate_decision (second_job_id);

create function note_job_to_compare() returns trigger language plpgsql as $$
begin
  insert into job_to_compare (job_id) values (new.id);
  return null;
end
$$;
