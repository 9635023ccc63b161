-- What is known of payments at Stripe: their checkout sessions, the events that were heard of, and how far they were read.
-- All of it beside the payment, which is the same for every provider (decision 0048).

create table stripe_checkout (
  payment_id text collate "C" constraint stripe_checkout_pkey primary key
    constraint stripe_checkout_payment_fkey references payment on delete cascade,
  -- Written before Stripe is asked for the session: the same question again gets the same session.
  begun_at timestamptz(3) not null,
  -- Null until Stripe's answer is written.
  session_id text collate "C" constraint stripe_checkout_session_key unique,
  -- Since when the payer is done and the money is still on its way.
  submitted_at timestamptz(3),
  -- When Stripe is asked next what became of the session; null once that is known for good.
  check_at timestamptz(3)
);
create index stripe_checkout_check_idx on stripe_checkout (check_at) where check_at is not null;

-- Events that had their effect; kept for as long as Stripe may send or list them.
create table stripe_event (
  id text collate "C" constraint stripe_event_pkey primary key,
  received_at timestamptz(3) not null
);
create index stripe_event_received_idx on stripe_event (received_at);

-- One row: up to when Stripe's list of events was read, and until when a process is at it.
create table stripe_reading (
  id boolean constraint stripe_reading_pkey primary key default true constraint stripe_reading_one_check check (id),
  read_until timestamptz(3) not null,
  leased_until timestamptz(3)
);
