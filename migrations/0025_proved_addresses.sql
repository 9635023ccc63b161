-- An account's confirmed email address, set by the first sign-in with a link sent to this address. That sign-in shows
-- the other keys and sessions (decision 0057). Additive: the previous release does not use this column.
alter table account add column email_proved_key text collate "C";
