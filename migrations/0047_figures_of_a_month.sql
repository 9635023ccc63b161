-- migrate: outside-transaction
-- The admin area counts jobs by the day they first went on the board, and payments by the day they were paid. The first
-- index is on an expression: to find jobs that have ever been on the board, PostgreSQL would read a whole index on the
-- plain column.

create index concurrently if not exists job_first_activated_idx on job ((first_activated_at at time zone 'UTC'));
create index concurrently if not exists payment_paid_idx on payment (paid_at) include (currency, amount) where status = 'paid';
