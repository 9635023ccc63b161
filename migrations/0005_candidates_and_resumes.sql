-- Employers can find candidates, and candidates can upload resumes. The service computes the folded columns and the
-- search vector, so that all databases compare identically.

alter table candidate
  add column last_active_at timestamptz(3),
  add column last_name_sort text collate "C" not null default '',
  add column location_sort text collate "C",
  add column location_words text[] not null default '{}',
  add column skills_folded text[] not null default '{}',
  -- Computed from the profile and the text of the default resume.
  add column search tsvector not null default '',
  -- Opt-out of emails about applications.
  add column mail_on_status_change boolean not null default true;
update candidate set last_active_at = updated_at, last_name_sort = lower(last_name);
alter table candidate alter column last_active_at set not null, alter column last_active_at set default now();

-- For lists of searchable profiles, by sort field and filter.
create index candidate_last_active_idx on candidate (last_active_at, id) where is_searchable;
create index candidate_created_idx on candidate (created_at, id) where is_searchable;
create index candidate_last_name_idx on candidate (last_name_sort, id) where is_searchable;
create index candidate_search_idx on candidate using gin (search) where is_searchable;
create index candidate_location_words_idx on candidate using gin (location_words) where is_searchable;
create index candidate_skills_idx on candidate using gin (skills_folded) where is_searchable;

alter table employer
  -- Opt-out of emails about new applications.
  add column mail_on_application boolean not null default true;

create table resume (
  id text collate "C" primary key,
  candidate_id text collate "C" not null constraint resume_candidate_fkey references candidate on delete cascade,
  filename text not null,
  content_type text not null,
  size_bytes integer not null,
  -- In hexadecimal.
  sha256 text collate "C" not null,
  -- Where the bytes are: in resume_content, or in the object store under the resume's ID.
  store text collate "C" not null constraint resume_store_check check (store in ('database', 's3')),
  created_at timestamptz(3) not null,
  -- When the candidate deleted the resume, which may still be part of applications.
  deleted_at timestamptz(3),
  -- A background task extracts the text.
  extraction text collate "C" not null default 'pending'
    constraint resume_extraction_check check (extraction in ('pending', 'done', 'failed')),
  extraction_attempts integer not null default 0,
  -- Until this time, a worker is extracting the text.
  extraction_lease_until timestamptz(3),
  extraction_error text,
  extracted_text text
);
-- The newest resume is the default.
create index resume_candidate_idx on resume (candidate_id, created_at, id) where deleted_at is null;
create index resume_extraction_idx on resume (created_at, id) where extraction = 'pending' and deleted_at is null;

create table resume_content (
  resume_id text collate "C" primary key constraint resume_content_resume_fkey references resume on delete cascade,
  bytes bytea not null
);
-- Does not compress files, because their formats already do.
alter table resume_content alter column bytes set storage external;

-- Objects that a task deletes from the object store when they are due. An upload inserts a row here first, and deletes
-- it in the transaction that inserts the resume. The task therefore also deletes the objects of interrupted uploads.
create table stored_object_to_delete (
  key text collate "C" primary key,
  due_at timestamptz(3) not null
);
create index stored_object_to_delete_due_idx on stored_object_to_delete (due_at, key);
