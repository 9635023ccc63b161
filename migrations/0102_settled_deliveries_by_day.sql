-- Stores settled deliveries apart from pending ones, by the day in the IDs of their events, so that a purge drops a day
-- with its rows (decision 0144). webhook_delivery then contains only the pending ones. The previous release writes and
-- reads webhook_delivery as before; the service moves the deliveries that the previous release settles. Attempts lose
-- their foreign key, because their deliveries move to another table.

create table webhook_delivery_settled (
  id text collate "C" not null,
  event_id text collate "C" not null,
  webhook_id text collate "C" not null constraint webhook_delivery_settled_webhook_fkey references webhook on delete cascade,
  event_type text collate "C" not null,
  state text collate "C" not null
    constraint webhook_delivery_settled_state_check check (state in ('delivered', 'exhausted', 'canceled')),
  attempts integer not null,
  scheduled_attempts integer not null,
  last_status integer,
  last_reason text,
  created_at timestamptz(3) not null,
  settled_at timestamptz(3),
  constraint webhook_delivery_settled_pkey primary key (event_id, webhook_id)
) partition by range (event_id);
create index webhook_delivery_settled_id_idx on webhook_delivery_settled (id);
create index webhook_delivery_settled_list_idx on webhook_delivery_settled (webhook_id, created_at, id);
create index webhook_delivery_settled_exhausted_idx on webhook_delivery_settled (settled_at) where state = 'exhausted';

do $$
declare
  bound timestamptz := date_trunc('day', now() at time zone 'utc') at time zone 'utc' + interval '7 days';
begin
  execute format('create table webhook_delivery_settled_former partition of webhook_delivery_settled for values from (minvalue) to (%L)',
    left(typeid('evt', bound), 14));
end
$$;
-- For rows of days that have no partition because no worker was running.
create table webhook_delivery_settled_default partition of webhook_delivery_settled default
  with (autovacuum_vacuum_scale_factor = 0.02);

alter table webhook_attempt drop constraint webhook_attempt_delivery_fkey;
