-- migrate: outside-transaction
-- Lists the decisions about copies in chronological order. Additive.

create index concurrently if not exists duplicate_decision_decided_idx
  on duplicate_decision (decided_at, (first_job_id || second_job_id));
