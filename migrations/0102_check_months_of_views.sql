-- migrate: outside-transaction
-- Validates the bound of 0101 while the board runs (decision 0142).
alter table job_view_day validate constraint job_view_day_former_check;
