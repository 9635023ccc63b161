-- The words of title, skills and company in a separate column. A ranked search checks every match for these words, and
-- the whole vector is stored outside a job's row (200,000 matches take seconds).

alter table job add column headings tsvector not null generated always as (ts_filter(search, '{a,b}')) stored;
create index job_headings_idx on job using gin (headings) where state = 'active';
