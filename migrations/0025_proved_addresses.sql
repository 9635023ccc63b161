-- Which address of an account somebody has shown to be theirs, by signing in with a link that was sent there: whoever does so
-- first is told who else can get in (decision 0057). Additive: the previous release knows nothing of it.
alter table account add column email_proved_key text collate "C";
