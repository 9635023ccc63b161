-- Answers to POSTs with an Idempotency-Key, written in the transaction of their effect: whoever sends the same again gets
-- the same answer, and nothing happens twice (decision 0037). They are kept for a day.

create table idempotent_answer (
  -- Hash of the caller and the key.
  id text collate "C" constraint idempotent_answer_pkey primary key,
  -- Whose it is: it goes with the account. No reference, whose lock on the account could wait for its erasure in a circle.
  account_id text collate "C",
  -- Hash of method, path and payload.
  fingerprint text collate "C" not null,
  -- Encrypted under the service's key, as some show a secret.
  answer_sealed text not null,
  created_at timestamptz(3) not null
);
create index idempotent_answer_account_idx on idempotent_answer (account_id);
create index idempotent_answer_created_idx on idempotent_answer (created_at);
