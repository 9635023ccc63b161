-- migrate: outside-transaction
-- Each employer account gets a first owner with its email address, who keeps the sessions that began with a sign-in
-- link.

create index concurrently if not exists api_key_member_idx on api_key (member_id) where member_id is not null;
create index concurrently if not exists session_member_idx on session (member_id) where member_id is not null;
create index concurrently if not exists sign_in_link_member_idx on sign_in_link (member_id) where member_id is not null;

-- migrate: backfill table=account key=id batch=1000 quiet
insert into member (id, account_id, email, email_key, role, joined_at)
select 'mem_' || substr(id, 5), id, email, email_key, 'owner', created_at
from account where id = any($1) and kind = 'employer' and email_key is not null
on conflict do nothing;

-- migrate: backfill table=session key=id batch=1000 quiet
update session set member_id = member.id, email_key = member.email_key
from member
where session.id = any($1) and session.key_hash is null and session.member_id is null
  and member.id = 'mem_' || substr(session.account_id, 5);
