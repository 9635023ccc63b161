-- Separate narrow tables for the words of jobs on the board (decision 0035). A search reads all jobs with a word at
-- once. With a million jobs, it took seconds to read the rows of job (1.6 GB). In addition, every application rewrote
-- its job's row, with an index entry for each word.

-- Stores vectors outside their rows, because queries that need only the word index do not read them.
create table job_search (
  number integer primary key,
  search tsvector not null
) with (toast_tuple_target = 128);

-- The words of title, skills and company. Searches read them for each match, because an index stores no weights.
create table job_headings (
  number integer primary key,
  headings tsvector not null
);
alter table job_headings alter column headings set storage main;

insert into job_search select number, search from job where state = 'active';
insert into job_headings select number, ts_filter(search, '{a,b}') from job where state = 'active';
create index job_search_words_idx on job_search using gin (search);
create index job_headings_words_idx on job_headings using gin (headings);

create function keep_words() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' and new.state = 'active' then
    insert into job_search values (new.number, new.search)
    on conflict (number) do update set search = excluded.search;
    insert into job_headings values (new.number, ts_filter(new.search, '{a,b}'))
    on conflict (number) do update set headings = excluded.headings;
  else
    delete from job_search where number = old.number;
    delete from job_headings where number = old.number;
  end if;
  return null;
end
$$;
create trigger job_words_entry after insert on job
  for each row when (new.state = 'active') execute function keep_words();
create trigger job_words_change after update of search, state on job
  for each row when (
    (old.state = 'active' or new.state = 'active') and (old.search, old.state) is distinct from (new.search, new.state))
  execute function keep_words();
create trigger job_words_removal after delete on job for each row execute function keep_words();

drop index job_search_idx;
drop index job_headings_idx;
-- This release no longer reads this column. A later release drops it, because the previous release still reads it.
alter table job alter column headings drop expression;
alter table job alter column headings set default '';

-- A default sets a new row's transaction, because it costs less than a trigger.
alter table job alter column changed_xid set default pg_current_xact_id();
alter table employer alter column changed_xid set default pg_current_xact_id();
drop trigger job_changed on job;
drop trigger employer_changed on employer;
create trigger job_changed before update on job for each row execute function note_change();
create trigger employer_changed before update on employer for each row execute function note_change();
