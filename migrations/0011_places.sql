-- Geocoded points of jobs and candidates, for radius searches. Null: not geocoded yet. A background task geocodes the
-- rows that earlier releases wrote.

-- Latitude, longitude, latitude, longitude …, in degrees.
alter table job add column places float8[];
alter table candidate add column places float8[];

-- The backlog of this task, which stays empty once the task is done.
create index job_unplaced_idx on job (id) where places is null;
create index candidate_unplaced_idx on candidate (id) where places is null;
