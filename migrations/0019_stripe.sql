-- Payments at Stripe: their checkout sessions, received events, and the position in Stripe's event list. Separate from
-- the payment table, which is the same for every provider (decision 0048).

create table stripe_checkout (
  payment_id text collate "C" constraint stripe_checkout_pkey primary key
    constraint stripe_checkout_payment_fkey references payment on delete cascade,
  -- Written before the service requests the session from Stripe. A repeated request returns the same session.
  begun_at timestamptz(3) not null,
  -- Null until Stripe's response is stored.
  session_id text collate "C" constraint stripe_checkout_session_key unique,
  -- When the payer completed the checkout. The money may not have arrived yet.
  submitted_at timestamptz(3),
  -- When the service next queries Stripe for the session's outcome. Null once the outcome is final.
  check_at timestamptz(3)
);
create index stripe_checkout_check_idx on stripe_checkout (check_at) where check_at is not null;

-- Processed events, kept for as long as Stripe may send or list them.
create table stripe_event (
  id text collate "C" constraint stripe_event_pkey primary key,
  received_at timestamptz(3) not null
);
create index stripe_event_received_idx on stripe_event (received_at);

-- One row: the time up to which the service has read Stripe's event list, and the lease of the reading process.
create table stripe_reading (
  id boolean constraint stripe_reading_pkey primary key default true constraint stripe_reading_one_check check (id),
  read_until timestamptz(3) not null,
  leased_until timestamptz(3)
);
