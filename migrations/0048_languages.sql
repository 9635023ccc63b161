-- The languages of the website and of emails. An account's language is the one in which its owner last chose to read
-- the website; without one, emails are in the board's default language.

alter table brand
  add column languages text[] not null default array['en', 'de', 'fr', 'es', 'ja'],
  add column default_language text not null default 'en';
alter table account add column language text;
