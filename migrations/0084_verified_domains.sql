-- migrate: outside-transaction
-- A domain belongs to at most one employer. The second index finds the companies that an employer took over. Additive.

create unique index concurrently if not exists employer_verified_domain_key on employer (verified_domain)
  where verified_domain is not null;
create index concurrently if not exists employer_claimed_by_idx on employer (claimed_by) where claimed_by is not null;
