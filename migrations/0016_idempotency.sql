-- Responses to POSTs with an Idempotency-Key, written in the transaction of their effect and kept for a day. A repeated
-- request receives the same response and has no further effect (decision 0037).

create table idempotent_answer (
  -- Hash of the caller and the key.
  id text collate "C" constraint idempotent_answer_pkey primary key,
  -- The account that the row is deleted with. A foreign key would lock the account and could deadlock with its erasure.
  account_id text collate "C",
  -- Hash of method, path and payload.
  fingerprint text collate "C" not null,
  -- Encrypted with the service's key, because some contain a secret.
  answer_sealed text not null,
  created_at timestamptz(3) not null
);
create index idempotent_answer_account_idx on idempotent_answer (account_id);
create index idempotent_answer_created_idx on idempotent_answer (created_at);
