-- The board's legal pages in Markdown, by the last part of their URL. A change raises `version` of `brand`.

create table board_page (
  slug text collate "C" primary key,
  title text not null,
  text text not null,
  language text not null,
  updated_at timestamptz(3) not null
);
