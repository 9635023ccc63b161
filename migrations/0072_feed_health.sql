-- Reports feeds that have been failing for a day, and shows when a feed last succeeded. Additive: the previous release
-- leaves the columns empty.

alter table feed
  -- When the current series of failed runs began.
  add column failing_since timestamptz(3),
  -- When the service queued the owner's email about the failures.
  add column failure_mailed_at timestamptz(3),
  add column succeeded_at timestamptz(3);
create index feed_unreported_idx on feed (failing_since)
  where failing_since is not null and failure_mailed_at is null;
