-- Where jobs and candidates are, for searches within a radius: the points that the service finds in a location's text.
-- Null is a text that nobody has looked at yet: those of earlier releases, which a background task takes in turn.

-- Latitude, longitude, latitude, longitude …, in degrees.
alter table job add column places float8[];
alter table candidate add column places float8[];

-- What that task has yet to do: empty from then on.
create index job_unplaced_idx on job (id) where places is null;
create index candidate_unplaced_idx on candidate (id) where places is null;
