-- migrate: outside-transaction
-- Compares all jobs on the board by the rule of this release, which finds more copies (decision 0117). Additive: a
-- background task folds the jobs.

-- migrate: backfill table=job key=id batch=1000 quiet
insert into job_to_compare (job_id) select id from job where id = any($1) and state = 'active';
