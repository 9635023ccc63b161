-- migrate: outside-transaction
-- The admin area counts jobs by the day they first went on the board, and payments by the day they were paid.

create index concurrently if not exists job_first_activated_idx on job (first_activated_at) where first_activated_at is not null;
create index concurrently if not exists payment_paid_idx on payment (paid_at) include (currency, amount) where status = 'paid';
