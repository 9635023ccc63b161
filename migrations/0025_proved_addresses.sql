-- The confirmed email address of an account, set by the first sign-in with a link sent there. That sign-in shows the
-- other keys and sessions (decision 0057). Additive: the previous release does not use it.
alter table account add column email_proved_key text collate "C";
