-- Partitions events and attempts by the day in their IDs, so that a purge returns disk space (decision 0080). Turns the
-- existing rows into the first partition of each table without reading them. The previous release reads and writes the
-- same tables.

alter table event rename to event_former;
alter index event_pkey rename to event_former_pkey;
alter index event_created_idx rename to event_former_created_idx;
alter index event_subject_idx rename to event_former_subject_idx;
alter index event_employer_idx rename to event_former_employer_idx;
alter index event_candidate_idx rename to event_former_candidate_idx;
create table event (
  like event_former including defaults including storage including compression,
  constraint event_pkey primary key (id)
) partition by range (id);
create index event_created_idx on event (created_at, id, type);
create index event_subject_idx on event (subject_id);
create index event_employer_idx on event (employer_id, created_at, id, type) where employer_id is not null;
create index event_candidate_idx on event (candidate_id, created_at, id, type) where candidate_id is not null;

alter table webhook_attempt rename to webhook_attempt_former;
alter index webhook_attempt_pkey rename to webhook_attempt_former_pkey;
create table webhook_attempt (
  like webhook_attempt_former including defaults including storage including compression,
  constraint webhook_attempt_pkey primary key (delivery_id, number),
  constraint webhook_attempt_delivery_fkey foreign key (delivery_id) references webhook_delivery on delete cascade,
  constraint webhook_attempt_trigger_check check (trigger in ('scheduled', 'manual'))
) partition by range (delivery_id);

do $$
declare
  part record;
begin
  for part in
    select substring(conname for length(conname) - 13) as parent, conrelid::regclass as former, conname as bounding,
      substring(pg_get_constraintdef(oid) from '''(\w+)''') as bound
    from pg_constraint where conname in ('event_former_check', 'webhook_attempt_former_check')
  loop
    execute format('alter table %I attach partition %s for values from (minvalue) to (%L)', part.parent, part.former, part.bound);
    execute format('alter table %s drop constraint %I', part.former, part.bounding);
  end loop;
end
$$;
-- For rows of days that have no partition because no worker was running.
create table event_default partition of event default
  with (autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_scale_factor = 0.02);
create table webhook_attempt_default partition of webhook_attempt default
  with (autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_scale_factor = 0.02);

alter table webhook_delivery drop constraint webhook_delivery_event_fkey;
alter table webhook_delivery add constraint webhook_delivery_event_fkey
  foreign key (event_id) references event on delete cascade not valid;
