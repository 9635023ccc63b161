-- Emails about an employer's jobs and about the board also go to members, each in the member's language. Additive: the
-- previous release sends emails to the account's email address, and leaves the columns empty.

-- The language in which the member last signed in, or that the member chose for emails.
alter table member add column language text;
-- The recipient. Null: the account itself.
alter table mail add column member_id text collate "C";
