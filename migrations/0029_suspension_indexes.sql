-- migrate: outside-transaction
-- Indexes of rare rows in large tables, built without blocking writes (decision 0071).

-- Excluded from every list of companies and candidates.
create index concurrently if not exists account_suspended_idx on account (id) where suspended_at is not null;
create index concurrently if not exists job_suspended_idx on job (employer_id) where suspended_from_board;
-- Emails whose delivery failed or is unknown, which the admin area lists.
create index concurrently if not exists mail_undelivered_idx on mail (created_at, id) where state in ('failed', 'unknown');
