-- Removes the jobs of already suspended accounts from the board, where the previous release left them (decision 0066).
-- Affects few rows. Writes no events, because mirrors of the board find the tombstones.
update job set state = 'closed', suspended_from_board = true, updated_at = greatest(job.updated_at, now())
from account
where account.id = job.employer_id and account.suspended_at is not null and job.state = 'active' and job.expires_at > now();
