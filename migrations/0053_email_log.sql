-- migrate: outside-transaction
-- The admin area lists all emails, not only failed ones, finds them by a prefix of the recipient's email address,
-- and sends them again. Additive: the previous release does not use the columns.

-- The canonical form of the email address that the email was composed for. Null: not composed yet, or by an earlier
-- release.
alter table mail add column if not exists recipient_key text collate "C";
-- The ID of the email that this one sends again.
alter table mail add column if not exists repeats text collate "C";

create index concurrently if not exists mail_created_idx on mail (created_at, id);
create index concurrently if not exists mail_state_idx on mail (state, created_at, id);
create index concurrently if not exists mail_kind_idx on mail (kind, created_at, id);
create index concurrently if not exists mail_recipient_idx on mail (recipient_key) where recipient_key is not null;
create index concurrently if not exists mail_repeats_idx on mail (repeats) where repeats is not null;

-- Emails that are not composed yet are found by the account's email address.
create index concurrently if not exists account_email_idx on account (email_key) where email_key is not null;
