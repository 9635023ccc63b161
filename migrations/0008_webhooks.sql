-- Webhooks, their deliveries, and all attempts. The statement that writes an event also writes its deliveries, so that
-- none is lost. The database therefore generates their IDs.

-- Generates an ID in the service's format: a prefix, then a UUIDv7 in Crockford's base 32, five bits per character. Ten
-- characters encode the time. The e begins with the version (0111), and the 8 contains the variant (10). The 56 random
-- bits come from a random UUID.
create function typeid(prefix text, at timestamptz) returns text language sql volatile as $$
  select prefix || '_' ||
    substr(digits, 1 + ((ms >> 45) & 31)::integer, 1) || substr(digits, 1 + ((ms >> 40) & 31)::integer, 1) ||
    substr(digits, 1 + ((ms >> 35) & 31)::integer, 1) || substr(digits, 1 + ((ms >> 30) & 31)::integer, 1) ||
    substr(digits, 1 + ((ms >> 25) & 31)::integer, 1) || substr(digits, 1 + ((ms >> 20) & 31)::integer, 1) ||
    substr(digits, 1 + ((ms >> 15) & 31)::integer, 1) || substr(digits, 1 + ((ms >> 10) & 31)::integer, 1) ||
    substr(digits, 1 + ((ms >> 5) & 31)::integer, 1) || substr(digits, 1 + ((ms >> 0) & 31)::integer, 1) ||
    'e' || left(random, 2) || '8' || right(random, 12)
  from (
    select '0123456789abcdefghjkmnpqrstvwxyz' as digits, (extract(epoch from at) * 1000)::bigint as ms,
      gen_random_uuid()::text as random
    -- Prevents PostgreSQL from inlining the subquery, which would evaluate the random UUID more than once.
    offset 0
  ) as parts
$$;

create table webhook (
  id text collate "C" primary key,
  owner_id text collate "C" not null constraint webhook_owner_fkey references account on delete cascade,
  -- The account whose events the webhook receives: the owner's ID, or * for all accounts.
  audience text collate "C" not null,
  url text not null,
  events text[] not null,
  description text,
  status text collate "C" not null default 'active'
    constraint webhook_status_check check (status in ('active', 'paused', 'disabled')),
  disabled_reason text collate "C" constraint webhook_disabled_reason_check check (disabled_reason in ('gone', 'failing')),
  disabled_at timestamptz(3),
  -- Encrypted with the service's key. The previous secret also signs until previous_secret_until.
  secret_sealed text not null,
  previous_secret_sealed text,
  previous_secret_until timestamptz(3),
  -- Start of the period that counts for disabling: the webhook's creation or last reactivation.
  watched_from timestamptz(3) not null,
  last_success_at timestamptz(3),
  -- Number of consecutive failures, and the time of the first failure.
  consecutive_failures integer not null default 0,
  first_failure_at timestamptz(3),
  -- After many consecutive failures, attempts run one at a time with growing pauses.
  breaker_trips integer not null default 0,
  breaker_until timestamptz(3),
  tested_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
)
-- Every batch of attempts updates its webhooks. Free space in the pages avoids index updates.
with (fillfactor = 50);
create index webhook_owner_idx on webhook (owner_id, created_at, id);
create index webhook_audience_idx on webhook (audience) where status = 'active';

create table webhook_delivery (
  id text collate "C" primary key,
  event_id text collate "C" not null constraint webhook_delivery_event_fkey references event on delete cascade,
  webhook_id text collate "C" not null constraint webhook_delivery_webhook_fkey references webhook on delete cascade,
  event_type text collate "C" not null,
  state text collate "C" not null default 'pending'
    constraint webhook_delivery_state_check check (state in ('pending', 'delivered', 'exhausted', 'canceled')),
  -- The state that the delivery returns to when no attempt is due. A failed manual retry does not change this state.
  settled_as text collate "C",
  -- The next attempt of any kind, and the next scheduled attempt.
  due_at timestamptz(3),
  scheduled_at timestamptz(3),
  -- Number of started attempts: in total, and scheduled. The latest attempt number also distinguishes leases.
  attempts integer not null default 0,
  scheduled_attempts integer not null default 0,
  -- Number of requested manual retries that have not started.
  manual_wanted integer not null default 0,
  -- Until this time, a worker is running an attempt of this kind.
  lease_until timestamptz(3),
  lease_trigger text collate "C",
  last_status integer,
  last_reason text,
  created_at timestamptz(3) not null,
  settled_at timestamptz(3),
  constraint webhook_delivery_event_webhook_key unique (event_id, webhook_id)
);
-- The backlog of each webhook, in order.
create index webhook_delivery_due_idx on webhook_delivery (webhook_id, due_at, id)
  where state = 'pending' and lease_until is null;
create index webhook_delivery_lease_idx on webhook_delivery (lease_until) where lease_until is not null;
create index webhook_delivery_list_idx on webhook_delivery (webhook_id, created_at, id);

create table webhook_attempt (
  delivery_id text collate "C" not null
    constraint webhook_attempt_delivery_fkey references webhook_delivery on delete cascade,
  number integer not null,
  trigger text collate "C" not null constraint webhook_attempt_trigger_check check (trigger in ('scheduled', 'manual')),
  started_at timestamptz(3) not null,
  duration_ms integer not null,
  -- HTTP status of the response. Null: no response.
  status integer,
  -- Null: delivered.
  error_class text collate "C",
  reason text,
  response_excerpt text,
  address text,
  constraint webhook_attempt_pkey primary key (delivery_id, number)
);

-- Recoveries, which resend failed, canceled and never queued events in steps.
create table webhook_recovery (
  id text collate "C" primary key,
  webhook_id text collate "C" not null constraint webhook_recovery_webhook_fkey references webhook on delete cascade,
  since timestamptz(3) not null,
  until timestamptz(3) not null,
  state text collate "C" not null default 'running'
    constraint webhook_recovery_state_check check (state in ('running', 'done', 'canceled')),
  -- Number of examined events, and of deliveries created, requeued and left unchanged.
  examined integer not null default 0,
  created integer not null default 0,
  requeued integer not null default 0,
  unchanged integer not null default 0,
  -- The last examined event.
  reached_at timestamptz(3) not null,
  reached_id text collate "C" not null default '',
  created_at timestamptz(3) not null,
  finished_at timestamptz(3)
);
create index webhook_recovery_webhook_idx on webhook_recovery (webhook_id);
create index webhook_recovery_running_idx on webhook_recovery (created_at) where state = 'running';
