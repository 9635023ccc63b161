-- migrate: outside-transaction
-- Indexes on rare rows in large tables, built without blocking writes (decision 0071).

-- For accounts that lists of companies and candidates exclude, and for the jobs of suspended employers.
create index concurrently if not exists account_suspended_idx on account (id) where suspended_at is not null;
create index concurrently if not exists job_suspended_idx on job (employer_id) where suspended_from_board;
-- For emails that failed or may not have arrived, which the admin area lists.
create index concurrently if not exists mail_undelivered_idx on mail (created_at, id) where state in ('failed', 'unknown');
