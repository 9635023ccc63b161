-- migrate: outside-transaction
-- Lets an index of the search engine be filled and compared in the order of numbers (decision 0135). Additive.

create index concurrently if not exists job_number_idx on job (number);
