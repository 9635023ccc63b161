-- Payments and entitlements remain when retention deletes their job, because they are financial records (decision
-- 0076). The previous release deletes no jobs, but can read payments without a job.

alter table payment drop constraint payment_job_fkey;
alter table entitlement drop constraint entitlement_job_fkey;
