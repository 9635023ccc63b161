-- Takes the jobs of accounts that are suspended already off the board, where they stayed until now (decision 0066).
-- Few rows. Events are not written: mirrors of the board find the tombstones.
update job set state = 'closed', suspended_from_board = true, updated_at = greatest(job.updated_at, now())
from account
where account.id = job.employer_id and account.suspended_at is not null and job.state = 'active' and job.expires_at > now();
