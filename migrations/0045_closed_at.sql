-- The public page of a closed job shows when the job closed. Jobs that closed earlier have no date.

alter table job add column closed_at timestamptz(3);
