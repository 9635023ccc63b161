-- Prepares events and attempts for daily partitions (decision 0080). Adds constraints that bound the existing rows and
-- the rows of the next seven days, so that 0038 can attach both tables without reading them.
do $$
declare
  bound timestamptz := date_trunc('day', now() at time zone 'utc') at time zone 'utc' + interval '7 days';
begin
  execute format('alter table event add constraint event_former_check check (id < %L) not valid',
    left(typeid('evt', bound), 14));
  execute format('alter table webhook_attempt add constraint webhook_attempt_former_check check (delivery_id < %L) not valid',
    left(typeid('whd', bound), 14));
end
$$;
