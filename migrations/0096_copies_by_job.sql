-- migrate: outside-transaction
-- Replaces two indexes with indexes that do not contain the job. Connections that planned their statements for empty
-- tables read the former indexes from the start to find a job, so comparing a new job took longer with every job on
-- the board. Additive: the previous release finds and sorts rows through either index.

create index concurrently if not exists job_block_members_idx on job_block (block);

drop index concurrently if exists job_block_idx;

create index concurrently if not exists suspected_copy_listed_idx on suspected_copy (is_folded, found_at);

drop index concurrently if exists suspected_copy_found_idx;
