-- A dry run shows the first postings as jobs. Additive: the previous release leaves the column empty.

alter table feed_run add column sample jsonb;
