-- Employers see which website an applicant came from, and the service announces changed jobs to search engines.
-- Additive: the previous release uses neither the column nor the table.

alter table application add column source text;

create table index_now (
  is_only boolean primary key default true constraint index_now_is_only_check check (is_only),
  announced_until timestamptz(3) not null,
  leased_until timestamptz(3)
);
