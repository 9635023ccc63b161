-- migrate: outside-transaction
-- Finds the unfinished run of a feed without reading its finished runs, which are kept for 90 days. Additive.

create index concurrently if not exists feed_run_unfinished_idx on feed_run (feed_id)
  where state in ('pending', 'running', 'held');
