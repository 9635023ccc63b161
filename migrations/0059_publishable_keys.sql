-- Publishable keys may be seen by anyone, so their text is stored and can be shown again. They can be limited to the
-- pages of some origins. Additive: the previous release refuses such keys, because it does not know their prefix.

alter table api_key add column publishable_key text;
-- Null: pages of any origin may use the key.
alter table api_key add column allowed_origins text[];
