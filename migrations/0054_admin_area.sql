-- migrate: outside-transaction
-- Indexes for the search and the lists of the admin area (decision 0102), and products that are not on sale. The word
-- indexes contain the expressions that `beginningsIn` in `lists/sql-page.ts` searches for words with a prefix.

-- Null: the product is on sale. The previous release sells every product.
alter table product add column if not exists is_off_sale boolean;

create index concurrently if not exists account_words_idx on account using gin (
  to_tsvector('simple'::regconfig, translate(coalesce(name_sort, '') || ' ' || coalesce(email_key, ''), '-./@_+<>&', '         ')));

create index concurrently if not exists job_names_idx on job using gin (
  to_tsvector('simple'::regconfig, translate(title_sort || ' ' || company_sort, '-./@_+<>&', '         ')))
  where state <> 'deleted';
-- For the list of all jobs, newest first. It includes the columns that the state is computed from.
create index concurrently if not exists job_created_idx on job (created_at, id) include (state, expires_at, removed_at)
  where state <> 'deleted';

create index concurrently if not exists payment_invoice_number_idx on payment (invoice_number);
-- The reference of a payment consists of the last characters of its ID.
create index concurrently if not exists payment_reference_idx on payment (right(id, 10));

create index concurrently if not exists operator_action_account_idx on operator_action (account_id, key_name, at, id);
create index concurrently if not exists operator_action_action_idx on operator_action (action, at, id);
