-- migrate: outside-transaction
-- Checks the reference of 0038 while the board runs (decision 0080).
alter table webhook_delivery validate constraint webhook_delivery_event_fkey;
