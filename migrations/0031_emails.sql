-- Email addresses that opted out of all emails, and the times of emails to unconfirmed email addresses. Both tables
-- contain only hashes. Also adds the account's email address that its owner confirmed with a link in an email. Unlike
-- the link for `email_proved_key`, this link signs nobody in. Additive: the previous release does not use them.
create table suppressed_address (
  address_hash text collate "C" constraint suppressed_address_pkey primary key,
  created_at timestamptz(3) not null
);

create table unconfirmed_email (
  address_hash text collate "C" not null,
  sent_at timestamptz(3) not null
);
create index unconfirmed_email_address_idx on unconfirmed_email (address_hash, sent_at);
create index unconfirmed_email_sent_idx on unconfirmed_email (sent_at);

alter table account add column email_confirmed_key text collate "C";
