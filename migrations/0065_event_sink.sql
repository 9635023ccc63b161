-- The position up to which a message broker has received the events. Additive: the previous release does not use it.

create table event_sink (
  is_only boolean primary key default true constraint event_sink_is_only_check check (is_only),
  -- The iterator of the last published event. Empty before the first.
  published_until text not null default '',
  leased_until timestamptz(3)
);

insert into event_sink default values;
