-- Sessions of people who use the pages, and the links in mails that begin them (decision 0049).
-- Additive: the previous release knows nothing of them.

create table session (
  id text collate "C" primary key,
  -- SHA-256 of the token in the cookie, in hexadecimal; the token itself is nowhere.
  token_hash text collate "C" not null constraint session_token_key unique,
  account_id text collate "C" not null constraint session_account_fkey references account on delete cascade,
  -- Of the API key that it was begun with, as it is stored there: it ends with that key. Null: begun by a link in a mail.
  key_hash text collate "C",
  created_at timestamptz(3) not null,
  -- To some minutes.
  last_seen_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index session_account_idx on session (account_id, created_at, id);
create index session_expires_idx on session (expires_at);

-- A link that begins a session, once.
create table sign_in_link (
  token_hash text collate "C" primary key,
  account_id text collate "C" not null constraint sign_in_link_account_fkey references account on delete cascade,
  expires_at timestamptz(3) not null
);
create index sign_in_link_account_idx on sign_in_link (account_id);
create index sign_in_link_expires_idx on sign_in_link (expires_at);

-- That somebody asked for links to an address, whether or not an account has it: so many and no more are sent.
create table sign_in_request (
  address_hash text collate "C" not null,
  requested_at timestamptz(3) not null
);
create index sign_in_request_address_idx on sign_in_request (address_hash, requested_at);
create index sign_in_request_requested_idx on sign_in_request (requested_at);
