-- migrate: outside-transaction
-- Finds sessions by email address, to end all sessions that could switch to an account. Also finds invitations by email
-- address, not only active members. Additive: the previous release uses the new index of members like the former one.

create index concurrently if not exists session_email_idx on session (email_key) where email_key is not null;
create index concurrently if not exists member_address_idx on member (email_key);
drop index concurrently if exists member_email_idx;
