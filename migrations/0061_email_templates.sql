-- Employers write their own status emails. Additive: the previous release does not use the table.

create table email_template (
  employer_id text collate "C" not null
    constraint email_template_employer_fkey references employer on delete cascade,
  status text collate "C" not null,
  -- Null means the board's text.
  subject text,
  text text,
  primary key (employer_id, status)
);
