-- migrate: outside-transaction
-- Finds the sessions that end with a passkey. Additive.

create index concurrently if not exists session_passkey_idx on session (passkey_id) where passkey_id is not null;
