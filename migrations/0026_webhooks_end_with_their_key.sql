-- A webhook ends with the API key that created it or last changed it (decision 0065). Existing webhooks, and those
-- created after a sign-in by link, belong only to the account. Additive: the previous release neither reads nor writes
-- these columns.

alter table webhook
  add column ends_with_key boolean not null default false,
  -- Null although ends_with_key is set: the key was deleted.
  add column key_id text collate "C",
  -- A copy of the key's expiry, which never changes.
  add column key_expires_at timestamptz(3),
  add constraint webhook_key_fkey foreign key (key_id) references api_key on delete set null not valid,
  drop constraint webhook_disabled_reason_check,
  add constraint webhook_disabled_reason_check check (disabled_reason in ('gone', 'failing', 'key_revoked')) not valid;
