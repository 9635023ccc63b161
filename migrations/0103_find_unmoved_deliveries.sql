-- migrate: outside-transaction
-- Finds the settled deliveries that are still among the pending ones (decision 0144).
create index concurrently if not exists webhook_delivery_unmoved_idx on webhook_delivery (id) where state <> 'pending';
