-- migrate: outside-transaction
-- Validates the foreign key of 0038 while the board runs (decision 0080).
alter table webhook_delivery validate constraint webhook_delivery_event_fkey;
