-- migrate: outside-transaction
-- Finds suspected copies among the jobs that are already on the board. Additive: a background task compares the jobs
-- again.

-- migrate: backfill table=job key=id batch=1000 quiet
insert into job_to_compare (job_id) select id from job where id = any($1) and state = 'active';
