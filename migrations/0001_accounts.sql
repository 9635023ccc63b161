-- Accounts, their API keys, and the secrets of the installation. Separate tables contain the data of candidates and
-- employers.

create table account (
  id text collate "C" primary key,
  kind text not null constraint account_kind_check check (kind in ('candidate', 'employer', 'admin', 'integrator')),
  name text not null,
  email text,
  -- The normalized email address, for comparisons that ignore case. The service computes it, so that all databases
  -- compare identically.
  email_key text collate "C",
  created_at timestamptz(3) not null
);
-- One account per kind and email address.
create unique index account_kind_email_key on account (kind, email_key);

-- The account of ADMIN_API_KEY, which exists in every installation.
insert into account (id, kind, name, created_at) values ('adm_00000000000000000000000000', 'admin', 'Operator', now());

create table api_key (
  id text collate "C" primary key,
  account_id text collate "C" not null constraint api_key_account_fkey references account on delete cascade,
  name text not null,
  name_sort text collate "C" not null,
  -- SHA-256 of the key, in hexadecimal. The key itself is not stored.
  hash text collate "C" not null constraint api_key_hash_key unique,
  prefix text not null,
  last4 text not null,
  scopes text[] not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  expires_at timestamptz(3)
);
create index api_key_account_idx on api_key (account_id, created_at, id);

-- Random secrets that an installation creates once, such as the one that signs cursors.
create table installation_secret (
  name text primary key,
  value bytea not null
);

create table candidate (
  id text collate "C" primary key constraint candidate_account_fkey references account on delete cascade,
  first_name text not null,
  last_name text not null,
  phone text,
  location text,
  headline text,
  summary text,
  experience jsonb not null default '[]',
  education jsonb not null default '[]',
  skills text[] not null default '{}',
  website text,
  github text,
  linkedin text,
  is_searchable boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create table employer (
  id text collate "C" primary key,
  -- An imported company has no account.
  account_id text collate "C" constraint employer_account_fkey references account on delete cascade,
  name text not null,
  name_sort text collate "C" not null,
  location text,
  location_sort text collate "C",
  location_words text[] not null default '{}',
  website text,
  logo_url text,
  description text,
  industry text,
  industry_sort text collate "C",
  employee_count integer,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index employer_account_key on employer (account_id);
-- Imports look up companies by their folded names.
create unique index employer_imported_name_key on employer (name_sort) where account_id is null;
-- Each sortable field has one index, and lists scan it in either direction. A nullable field has one per direction,
-- because null always comes last.
create index employer_name_idx on employer (name_sort, id);
create index employer_location_asc_idx on employer (coalesce(location_sort, U&'\+10FFFF'), id);
create index employer_location_desc_idx on employer (coalesce(location_sort, ''), id);
create index employer_created_idx on employer (created_at, id);
create index employer_employee_count_asc_idx on employer (coalesce(employee_count, 2147483647), id);
create index employer_employee_count_desc_idx on employer (coalesce(employee_count, -1), id);
create index employer_location_words_idx on employer using gin (location_words);
create index employer_industry_idx on employer (industry_sort, name_sort, id);
