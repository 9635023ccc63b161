-- migrate: outside-transaction
-- The admin area counts jobs by the day they first went on the board, and payments by the day they were paid. The first
-- index is on an expression. PostgreSQL would choose an index on the plain column to find jobs that have ever been on
-- the board, and read all of it.

create index concurrently if not exists job_first_activated_idx on job ((first_activated_at at time zone 'UTC'));
create index concurrently if not exists payment_paid_idx on payment (paid_at) include (currency, amount) where status = 'paid';
