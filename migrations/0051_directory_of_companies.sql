-- migrate: outside-transaction
-- The directory of companies finds names by a prefix of any word. The expression equals `wordsIn` in
-- `lists/sql-page.ts`. Characters that the parser would treat as parts of a word become spaces.

create index concurrently if not exists employer_name_words_idx on employer
  using gin (to_tsvector('simple'::regconfig, translate(name_sort, '-./@_+<>&', '         ')));
