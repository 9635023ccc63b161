-- Emails about applications go to members too, who turn them off for themselves. Additive: the previous release ignores the
-- column.
alter table member add column mail_on_application boolean not null default true;
