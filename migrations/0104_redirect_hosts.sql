-- The host to which a feed's host redirects. Feeds on different hosts that redirect to one host then take turns.
-- Additive: the previous release neither reads nor writes the column.

alter table feed add column redirect_host text;
