-- migrate: outside-transaction
-- Checks the roles of existing members, without blocking writes.

alter table member validate constraint member_role_check;
