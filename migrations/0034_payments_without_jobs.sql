-- Payments and entitlements stay when retention deletes their job, because they are records of money (decision 0076).
-- The previous release deletes no jobs, and can read payments without one.

alter table payment drop constraint payment_job_fkey;
alter table entitlement drop constraint entitlement_job_fkey;
