-- Passkeys with which people sign in to the website. Additive: the previous release ignores the tables and the column.

create table passkey (
  id text collate "C" primary key,
  -- The person: the member, or the account itself.
  account_id text collate "C" not null constraint passkey_account_fkey references account on delete cascade,
  member_id text collate "C" constraint passkey_member_fkey references member on delete cascade,
  -- The email address that the person had confirmed when the passkey was added, in canonical form.
  email_key text collate "C" not null,
  name text not null,
  -- The authenticator's ID of the passkey, in base64url.
  credential_id text collate "C" not null constraint passkey_credential_key unique,
  -- In the COSE format.
  public_key bytea not null,
  -- The authenticator's count of signatures. Stays 0 if the authenticator does not count.
  counter bigint not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);
create index passkey_account_idx on passkey (account_id, created_at, id);
create index passkey_member_idx on passkey (member_id) where member_id is not null;

-- Values that authenticators have yet to sign. Each is valid once.
create table passkey_challenge (
  -- SHA-256 of the challenge and the visitor's form token, in hexadecimal.
  hash text collate "C" primary key,
  expires_at timestamptz(3) not null
);
create index passkey_challenge_expires_idx on passkey_challenge (expires_at);

-- The passkey with which the session began, and with which it ends.
alter table session add column passkey_id text collate "C"
  constraint session_passkey_fkey references passkey on delete cascade;
