-- migrate: outside-transaction
-- Indexes that retention uses to find expired rows (decision 0076).

create index concurrently if not exists job_ended_idx on job (coalesce(deleted_at, expires_at), id) where state <> 'inactive';
create index concurrently if not exists job_view_day_day_idx on job_view_day (day);
