-- Emails about applications also go to members, each of whom can turn them off. Additive: the previous release ignores
-- the column.
alter table member add column mail_on_application boolean not null default true;
