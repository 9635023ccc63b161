-- Anyone may see publishable keys, so the service stores their text and can show it again. A key can be limited to the
-- pages of some origins. Additive: the previous release refuses such keys, because it does not know their prefix.

alter table api_key add column publishable_key text;
-- Null: pages of any origin may use the key.
alter table api_key add column allowed_origins text[];
