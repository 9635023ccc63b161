-- Lists of events by type, for everyone and for an account: the type ends each list's index, so that an event of another
-- type is passed over without looking at its row.

drop index event_created_idx;
create index event_created_idx on event (created_at, id, type);
drop index event_employer_idx;
create index event_employer_idx on event (employer_id, created_at, id, type) where employer_id is not null;
drop index event_candidate_idx;
create index event_candidate_idx on event (candidate_id, created_at, id, type) where candidate_id is not null;
