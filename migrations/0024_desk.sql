-- Tables of the admin area: suspended accounts, settings, categories and types, operators' actions, and the state of
-- background work in all processes (decision 0055). Additive: the previous release keeps its configuration.

alter table account add column suspended_at timestamptz(3);
-- The folded name, computed by the service. Null in rows that the previous release writes during the upgrade.
alter table account add column name_sort text collate "C";
update account set name_sort = lower(name);
create index account_created_idx on account (created_at, id);

-- For pending payments, which are few and which every visit to the admin area reads.
create index payment_pending_idx on payment (created_at, id) where status = 'pending';

-- Settings that override the configuration. Without a row, the configuration applies.
create table setting (
  name text collate "C" constraint setting_pkey primary key,
  value text not null,
  changed_at timestamptz(3) not null,
  -- The name of the key that changed the setting.
  changed_by text not null
);

-- The categories and types of the board. Jobs may also use other slugs.
create table catalogue_entry (
  kind text collate "C" not null constraint catalogue_entry_kind_check check (kind in ('category', 'type')),
  slug text collate "C" not null,
  name text not null,
  -- Ascending, possibly with gaps.
  position integer not null,
  constraint catalogue_entry_pkey primary key (kind, slug)
);

create table operator_action (
  id text collate "C" constraint operator_action_pkey primary key,
  at timestamptz(3) not null,
  -- No foreign keys, because actions outlive the account and the key.
  account_id text collate "C" not null,
  key_name text not null,
  action text collate "C" not null,
  -- The ID or name of the affected object.
  subject text not null,
  -- The operator's note.
  note text
);
create index operator_action_at_idx on operator_action (at, id);
create index operator_action_subject_idx on operator_action (subject, at, id);

-- When a task's rounds last succeeded and last failed, in any process.
create table task_health (
  task text collate "C" constraint task_health_pkey primary key,
  done_at timestamptz(3),
  failed_at timestamptz(3),
  error text
);

insert into catalogue_entry (kind, slug, name, position) values
  ('category', 'vehicle-engineering', 'Vehicle engineering', 1),
  ('category', 'electrical-electronics', 'Electrical and electronics', 2),
  ('category', 'powertrain-battery', 'Powertrain and battery', 3),
  ('category', 'autonomous-driving', 'Autonomous driving', 4),
  ('category', 'manufacturing-production', 'Manufacturing and production', 5),
  ('category', 'quality-testing', 'Quality and testing', 6),
  ('category', 'vehicle-service', 'Vehicle service', 7),
  ('category', 'sales-dealership', 'Sales and dealership', 8),
  ('category', 'supply-chain-logistics', 'Supply chain and logistics', 9),
  ('category', 'motorsport', 'Motorsport', 10),
  ('category', 'software-engineering', 'Software engineering', 11),
  ('category', 'embedded-software', 'Embedded software', 12),
  ('category', 'data-ai', 'Data and AI', 13),
  ('category', 'devops-cloud', 'DevOps and cloud', 14),
  ('category', 'cybersecurity', 'Cybersecurity', 15),
  ('category', 'it-support', 'IT support', 16),
  ('category', 'product-management', 'Product management', 17),
  ('category', 'design-ux', 'Design and UX', 18),
  ('category', 'marketing', 'Marketing', 19),
  ('category', 'finance', 'Finance', 20),
  ('category', 'human-resources', 'Human resources', 21),
  ('category', 'operations', 'Operations', 22),
  ('type', 'full-time', 'Full-time', 1),
  ('type', 'part-time', 'Part-time', 2),
  ('type', 'contract', 'Contract', 3),
  ('type', 'temporary', 'Temporary', 4),
  ('type', 'internship', 'Internship', 5),
  ('type', 'apprenticeship', 'Apprenticeship', 6),
  ('type', 'freelance', 'Freelance', 7),
  ('type', 'volunteer', 'Volunteer', 8);
