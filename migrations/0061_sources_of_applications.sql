-- Employers see which website an applicant came from. Additive: the previous release does not use the column.

alter table application add column source text;
