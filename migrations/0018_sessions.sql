-- Sessions of website users, and the sign-in links in emails (decision 0049). Additive: the previous release does not
-- use them.

create table session (
  id text collate "C" primary key,
  -- SHA-256 of the token in the cookie, in hexadecimal. The token itself is not stored.
  token_hash text collate "C" not null constraint session_token_key unique,
  account_id text collate "C" not null constraint session_account_fkey references account on delete cascade,
  -- The hash of the API key that started the session. The session ends with this key. Null: a sign-in link started it.
  key_hash text collate "C",
  created_at timestamptz(3) not null,
  -- Accurate to a few minutes.
  last_seen_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index session_account_idx on session (account_id, created_at, id);
create index session_expires_idx on session (expires_at);

-- A link that starts one session.
create table sign_in_link (
  token_hash text collate "C" primary key,
  account_id text collate "C" not null constraint sign_in_link_account_fkey references account on delete cascade,
  expires_at timestamptz(3) not null
);
create index sign_in_link_account_idx on sign_in_link (account_id);
create index sign_in_link_expires_idx on sign_in_link (expires_at);

-- Requests for sign-in links by email address, with or without an account. They limit the number of links sent.
create table sign_in_request (
  address_hash text collate "C" not null,
  requested_at timestamptz(3) not null
);
create index sign_in_request_address_idx on sign_in_request (address_hash, requested_at);
create index sign_in_request_requested_idx on sign_in_request (requested_at);
