-- Views of each job by day, for its owner's statistics (decision 0052). Additive: the previous release does not use
-- them.

create table job_view_day (
  job_id text collate "C" not null constraint job_view_day_job_fkey references job on delete cascade,
  -- YYYY-MM-DD in UTC.
  day text collate "C" not null,
  views integer not null,
  constraint job_view_day_pkey primary key (job_id, day)
);
