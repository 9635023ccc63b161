-- migrate: outside-transaction
-- The activity log names the staff member who performed an action, even after the person has left. Additive: the
-- previous release leaves the columns empty.

alter table operator_action add column if not exists member_id text collate "C";
alter table operator_action add column if not exists member_name text;
-- For the actions of a person, newest first, and for the newest name of each person.
create index concurrently if not exists operator_action_member_idx on operator_action (member_id, at desc, id desc)
  where member_id is not null;
