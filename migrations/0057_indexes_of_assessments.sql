-- migrate: outside-transaction
-- Lists of applications filter by rating and tags without reading all applications.

create index concurrently if not exists application_rating_idx on application (rating) where rating is not null;
create index concurrently if not exists application_tags_idx on application using gin (tags_folded)
  where tags_folded is not null;
