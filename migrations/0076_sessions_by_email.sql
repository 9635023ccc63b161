-- migrate: outside-transaction
-- People switch to other accounts of their email address, and signing out everywhere ends all sessions that could. Finds these
-- sessions by email address.

create index concurrently if not exists session_email_idx on session (email_key) where email_key is not null;
