-- Products, payments, and the entitlements that payments grant to jobs. Only one activation can consume an entitlement.
-- The entitlement's row is the lock.

create table product (
  slug text collate "C" primary key,
  name text not null,
  -- In minor units, such as cents for USD.
  amount integer not null constraint product_amount_check check (amount >= 0),
  currency text not null,
  duration_days integer not null,
  position integer not null
);
insert into product (slug, name, amount, currency, duration_days, position) values
  ('job-post', 'Job post', 19900, 'USD', 30, 1),
  ('featured', 'Featured in lists', 9900, 'USD', 30, 2),
  ('urgent', 'Urgent badge', 4900, 'USD', 30, 3),
  ('highlighted', 'Highlighted', 2900, 'USD', 30, 4);

create table payment (
  id text collate "C" primary key,
  employer_id text collate "C" not null constraint payment_employer_fkey references employer on delete cascade,
  job_id text collate "C" not null constraint payment_job_fkey references job on delete cascade,
  products text[] not null,
  -- The price of each product at the start of the payment, in the order of the products, and the sum.
  amounts integer[] not null,
  amount integer not null,
  currency text not null,
  status text collate "C" not null default 'pending'
    constraint payment_status_check check (status in ('pending', 'paid', 'failed', 'expired', 'refunded')),
  provider text not null,
  -- The unguessable part of the checkout page's URL.
  checkout_token text collate "C" not null constraint payment_checkout_token_key unique,
  created_at timestamptz(3) not null,
  paid_at timestamptz(3)
);
create index payment_employer_idx on payment (employer_id, created_at, id);
create index payment_created_idx on payment (created_at, id);
create index payment_job_idx on payment (job_id);

create table entitlement (
  id text collate "C" primary key,
  job_id text collate "C" not null constraint entitlement_job_fkey references job on delete cascade,
  payment_id text collate "C" constraint entitlement_payment_fkey references payment on delete cascade,
  product text collate "C" not null constraint entitlement_product_fkey references product,
  duration_days integer not null,
  created_at timestamptz(3) not null,
  consumed_at timestamptz(3)
);
create index entitlement_open_idx on entitlement (job_id) where consumed_at is null;
create index entitlement_payment_idx on entitlement (payment_id);
