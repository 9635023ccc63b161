-- migrate: outside-transaction
-- Paid jobs can be published at a planned time. Additive: the previous release does not use the columns, and activates
-- such jobs only on request.

alter table job add column if not exists publish_at timestamptz(3);
-- The last `publish_at` that the service has handled. A changed `publish_at` causes another publication.
alter table job add column if not exists published_for timestamptz(3);

create index concurrently if not exists job_publication_idx on job (publish_at)
  where state = 'inactive' and published_for is distinct from publish_at;
