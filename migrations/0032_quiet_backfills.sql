-- Backfills of columns that no running release reads no longer make every process reread the rows. Without this change,
-- searches restarted repeatedly and took up to 23 s while a backfill changed 200,000 jobs at 2,500 per second (decision
-- 0071). Additive: only backfills in migrations use it.
create or replace function note_change() returns trigger language plpgsql as $$
begin
  if current_setting('job_marketplace.quiet', true) is distinct from 'on' then
    new.changed_xid := pg_current_xact_id();
  end if;
  return new;
end
$$;
