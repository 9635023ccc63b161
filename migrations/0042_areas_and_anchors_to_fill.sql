-- migrate: outside-transaction
-- The backlogs of the tasks that fill areas and anchors. Both stay empty once the tasks are done.

create index concurrently if not exists job_without_areas_idx on job (id) where areas is null;
create index concurrently if not exists job_alert_outdated_idx on job_alert (id) where anchors_version < 2;
