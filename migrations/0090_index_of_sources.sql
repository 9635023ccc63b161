-- migrate: outside-transaction
-- Lists of applications filter by source without reading all applications.

create index concurrently if not exists application_source_idx on application (source) where source is not null;
