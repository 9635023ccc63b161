-- Agents draft applications for their candidates, who check and send them on the website. A draft expires after 24
-- hours. Additive: the previous release does not use the table.
create table application_draft (
  candidate_id text collate "C" constraint application_draft_candidate_fkey references candidate on delete cascade,
  job_id text collate "C" constraint application_draft_job_fkey references job on delete cascade,
  cover_letter text not null,
  answers jsonb not null,
  resume_id text collate "C",
  source text,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  primary key (candidate_id, job_id)
);
create index application_draft_job_idx on application_draft (job_id);
create index application_draft_expiry_idx on application_draft (expires_at);
