-- Status changes, notes and messages name the member who wrote them, even after the member has left. Additive: the
-- previous release leaves the columns empty, as this release does for account keys.

alter table application_status_change add column by_member_id text collate "C";
alter table application_status_change add column by_name text;
alter table application_note add column by_member_id text collate "C";
alter table application_note add column by_name text;
alter table application_message add column by_member_id text collate "C";
alter table application_message add column by_name text;
