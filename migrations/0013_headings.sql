-- The words of title, skills and company by themselves: whether a word stands in one of them is asked for every match of
-- a search that is ranked, and the whole vector of a job lies outside its row (200,000 matches: seconds).

alter table job add column headings tsvector not null generated always as (ts_filter(search, '{a,b}')) stored;
create index job_headings_idx on job using gin (headings) where state = 'active';
