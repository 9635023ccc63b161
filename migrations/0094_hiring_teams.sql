-- migrate: outside-transaction
-- If an employer has turned emails about applications off, its members start with these emails turned off. The index
-- finds an employer's applications with one status, and allows counting them without reading the wide table.

-- migrate: backfill table=member key=id batch=200
update member set mail_on_application = false from employer
where member.id = any($1) and employer.account_id = member.account_id and not employer.mail_on_application
  and member.mail_on_application;

create index concurrently if not exists application_employer_status_idx
  on application (employer_id, status, applied_at, id) include (withdrawn_at);
