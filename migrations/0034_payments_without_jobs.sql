-- Payments and entitlements stay when retention removes their job: they are records of money (decision 0076).
-- The previous release deletes no job, and reads payments without their job.

alter table payment drop constraint payment_job_fkey;
alter table entitlement drop constraint entitlement_job_fkey;
