-- The kinds of accounts to which a sign-in link leads, for people whom an OpenID provider signs in only to some kinds.
-- Null: all kinds. Additive: the previous release leaves the column empty.

alter table sign_in_link add column kinds text[];
