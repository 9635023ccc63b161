-- Indexes for lists of events by type, for all accounts and for one account. Each index ends with the type, so that a
-- list skips events of other types without reading their rows.

drop index event_created_idx;
create index event_created_idx on event (created_at, id, type);
drop index event_employer_idx;
create index event_employer_idx on event (employer_id, created_at, id, type) where employer_id is not null;
drop index event_candidate_idx;
create index event_candidate_idx on event (candidate_id, created_at, id, type) where candidate_id is not null;
