-- Partitions the daily view counts by month, so that an old month is dropped as a whole (decision 0142). Turns the
-- existing rows into the first partition without reading them. The previous release reads and writes the same table.

alter table job_view_day rename to job_view_day_former;
alter index job_view_day_pkey rename to job_view_day_former_pkey;
create table job_view_day (
  like job_view_day_former,
  constraint job_view_day_pkey primary key (job_id, day),
  constraint job_view_day_job_fkey foreign key (job_id) references job on delete cascade
) partition by range (day);

do $$
declare
  bound text := (select substring(pg_get_constraintdef(oid) from '''([\d-]+)''') from pg_constraint
    where conname = 'job_view_day_former_check');
begin
  execute format('alter table job_view_day attach partition job_view_day_former for values from (minvalue) to (%L)', bound);
  alter table job_view_day_former drop constraint job_view_day_former_check;
end
$$;
-- For rows of months that have no partition because no worker was running.
create table job_view_day_default partition of job_view_day default;
create index job_view_day_default_day_idx on job_view_day_default (day);
