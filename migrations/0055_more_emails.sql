-- migrate: outside-transaction
-- Emails report jobs that expire in three days and webhooks that have been failing for an hour, each only once.
-- Additive: the previous release does not use the columns.

-- The expiry about which the employer was emailed. A moved expiry causes another email.
alter table job add column if not exists expiry_warned_for timestamptz(3);
-- The `first_failure_at` about which the owner was emailed.
alter table webhook add column if not exists failing_mailed_for timestamptz(3);

create index concurrently if not exists job_ending_idx on job (expires_at)
  where state = 'active' and expiry_warned_for is distinct from expires_at;
create index concurrently if not exists webhook_failing_idx on webhook (first_failure_at)
  where status = 'active' and failing_mailed_for is distinct from first_failure_at;
