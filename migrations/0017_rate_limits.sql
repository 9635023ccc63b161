-- The quota usage of each subject in the current window, across all processes (decision 0039). Unlogged, because the
-- service writes it several times per second, and a loss affects only one window.
create unlogged table rate_limit (
  window_end timestamptz(3) not null,
  policy text collate "C" not null,
  -- The ID of a key or an account, or an IP address. The row is deleted after its window.
  subject text collate "C" not null,
  used integer not null,
  constraint rate_limit_pkey primary key (window_end, policy, subject)
);
