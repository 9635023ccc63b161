-- migrate: outside-transaction
-- Validates the bounds of 0036 while the board runs (decision 0080).
alter table event validate constraint event_former_check;
alter table webhook_attempt validate constraint webhook_attempt_former_check;
