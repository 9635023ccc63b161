-- Lists decisions about copies, with the person who decided (decision 0132). Additive: the previous release writes
-- decisions without the action.

-- The operator's action that made the decision. Actions are deleted after their retention period; the decision stays.
alter table duplicate_decision add column action_id text collate "C";
