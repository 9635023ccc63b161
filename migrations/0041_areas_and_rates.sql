-- Stores the areas of each job's location, so that `location=Germany` finds Stuttgart; the version of an
-- alert's anchors; and the exchange rates that an admin set. Nothing is rewritten: background tasks fill areas and
-- anchors.

-- Codes of the countries, regions and cities that the location names. Null: not determined yet.
alter table job add column areas text[];

-- Background work recomputes anchors of earlier versions.
alter table job_alert add column anchors_version integer not null default 1;

-- At most one row. Without it, the rates of the release apply.
create table currency_rate_table (
  is_only boolean primary key default true check (is_only),
  base text not null,
  as_of text not null,
  rates jsonb not null
);
