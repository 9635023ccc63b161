-- migrate: outside-transaction
-- For deleting a key, and for finding the webhooks of ended keys every second without reading the table.

create index concurrently if not exists webhook_key_idx on webhook (key_id) where key_id is not null;
create index concurrently if not exists webhook_keyless_idx on webhook (id)
  where ends_with_key and key_id is null and status <> 'disabled';
create index concurrently if not exists webhook_key_expires_idx on webhook (key_expires_at) where status <> 'disabled';
alter table webhook validate constraint webhook_key_fkey;
alter table webhook validate constraint webhook_disabled_reason_check;
