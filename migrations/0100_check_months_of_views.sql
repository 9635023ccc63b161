-- migrate: outside-transaction
-- Validates the bound of 0099 while the board runs, and finds failed deliveries for the admin area without reading all
-- deliveries of a week (decision 0142).
alter table job_view_day validate constraint job_view_day_former_check;

create index concurrently if not exists webhook_delivery_exhausted_idx on webhook_delivery (settled_at)
where state = 'exhausted';
