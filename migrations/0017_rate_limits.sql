-- The use of quotas by each subject in the current window, over all processes (decision 0039). Unlogged, because it is
-- written several times a second, and losing it costs one window.
create unlogged table rate_limit (
  window_end timestamptz(3) not null,
  policy text collate "C" not null,
  -- The id of a key or an account, or an address. Deleted after its window.
  subject text collate "C" not null,
  used integer not null,
  constraint rate_limit_pkey primary key (window_end, policy, subject)
);
