-- Several people work with one employer account, each with a role. Additive: the previous release ignores the table and
-- the columns.

create table member (
  id text collate "C" primary key,
  account_id text collate "C" not null constraint member_account_fkey references account on delete cascade,
  name text,
  email text not null,
  email_key text collate "C" not null,
  role text not null constraint member_role_check check (role in ('owner', 'recruiter', 'viewer')),
  -- Null for first owners.
  invited_at timestamptz(3),
  -- Identifies the valid invitation. Null once the invitation was accepted.
  invitation text,
  -- Null while invited.
  joined_at timestamptz(3),
  last_active timestamptz(3)
);
create unique index member_account_email_key on member (account_id, email_key);
create index member_email_idx on member (email_key) where joined_at is not null;

-- The member who created the key. The key stops working when the member is removed.
alter table api_key add column member_id text collate "C"
  constraint api_key_member_fkey references member on delete cascade;
-- The member who signed in, and the email address that received the sign-in link.
alter table session add column member_id text collate "C"
  constraint session_member_fkey references member on delete cascade;
alter table session add column email_key text;
-- Null in links of the previous release, which are for the owner of the account's email address.
alter table sign_in_link add column member_id text collate "C"
  constraint sign_in_link_member_fkey references member on delete cascade;
