-- Emails about applications also go to members, who turn them off for themselves. Additive: the previous release
-- ignores the column.
alter table member add column mail_on_application boolean not null default true;
