-- Also compares jobs whose type changes (decision 0117). Additive. The previous migration causes all jobs to be
-- compared again.

create or replace trigger job_compare_changed after update of
  title, company, location, locations, description, requirements, benefits, type, places, source, state, expires_at,
  expiry_announced_at
on job for each row when (
  (old.state = 'active' or new.state = 'active')
  and (old.title, old.company, old.location, old.locations, old.description, old.requirements, old.benefits, old.type,
    old.places, old.source, old.state, old.expires_at, old.expiry_announced_at)
  is distinct from
  (new.title, new.company, new.location, new.locations, new.description, new.requirements, new.benefits, new.type,
    new.places, new.source, new.state, new.expires_at, new.expiry_announced_at))
execute function note_job_to_compare();
