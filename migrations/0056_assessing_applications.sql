-- Employers rate and tag applications, and write to the candidate in the email about a new status. Additive: the
-- previous release does not use the columns.

alter table application
  add column rating integer,
  add column tags text[] not null default '{}',
  -- Null without tags, so that the index contains only tagged applications.
  add column tags_folded text[];
-- The employer's text to the candidate.
alter table application_status_change add column message text;
