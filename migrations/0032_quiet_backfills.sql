-- Lets a backfill write columns that no running release reads, without every process rereading the rows. Otherwise,
-- with 200,000 jobs changed at 2,500 a second, searches restarted again and again and took up to 23 s (decision 0071).
-- Additive: only backfills of migrations use it.
create or replace function note_change() returns trigger language plpgsql as $$
begin
  if current_setting('job_marketplace.quiet', true) is distinct from 'on' then
    new.changed_xid := pg_current_xact_id();
  end if;
  return new;
end
$$;
