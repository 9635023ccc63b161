-- Geocoded points of jobs and candidates, for searches within a radius. Null: not geocoded yet. A background task
-- geocodes rows of earlier releases.

-- Latitude, longitude, latitude, longitude …, in degrees.
alter table job add column places float8[];
alter table candidate add column places float8[];

-- The backlog of that task. It stays empty once the task is done.
create index job_unplaced_idx on job (id) where places is null;
create index candidate_unplaced_idx on candidate (id) where places is null;
