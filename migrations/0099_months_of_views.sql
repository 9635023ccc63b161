-- Prepares the daily view counts for monthly partitions (decision 0142). Adds a constraint that bounds the existing
-- rows and the rows of the next five weeks, so that 0101 can attach the table without reading it.
do $$
begin
  execute format('alter table job_view_day add constraint job_view_day_former_check check (day < %L) not valid',
    to_char(date_trunc('month', now() at time zone 'UTC' + interval '35 days') + interval '1 month', 'YYYY-MM-DD'));
end
$$;
