-- Employers prove that the domain of their website is theirs, and take over companies that a feed created (decision
-- 0130). Additive: the previous release ignores the table and the columns, and shows claimed companies without jobs.

create table claim (
  id text collate "C" primary key,
  account_id text collate "C" not null constraint claim_account_fkey references account on delete cascade,
  -- The company that the account claims: its own, or one that a feed created.
  employer_id text collate "C" not null constraint claim_employer_fkey references employer on delete cascade,
  domain text collate "C" not null,
  -- The host of the website, which serves the file.
  host text collate "C" not null,
  method text collate "C" not null constraint claim_method_check check (method in ('dns', 'file', 'email')),
  attempts integer not null default 0,
  problem text collate "C",
  checked_at timestamptz(3),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  verified_at timestamptz(3)
);
create unique index claim_account_employer_key on claim (account_id, employer_id);
create index claim_employer_idx on claim (employer_id);

alter table employer add column verified_domain text collate "C";
-- The employer that took over this company. Null for all companies with an account.
alter table employer add column claimed_by text collate "C" constraint employer_claimed_by_fkey references employer;
-- The company to which the job belonged before its employer took over that company.
alter table job add column claimed_from text collate "C";
