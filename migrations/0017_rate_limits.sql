-- How much of its quotas each subject has used in the window at hand, over all processes (decision 0039).
-- Unlogged: it is written several times a second, and to lose it costs a window.
create unlogged table rate_limit (
  window_end timestamptz(3) not null,
  policy text collate "C" not null,
  -- A key's or an account's id, or an address; never kept longer than its window.
  subject text collate "C" not null,
  used integer not null,
  constraint rate_limit_pkey primary key (window_end, policy, subject)
);
