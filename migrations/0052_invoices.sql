-- Receipts and invoices. The board's settings get the seller, VAT and bank details; employers get billing details;
-- payments keep the VAT that they contain. An invoice stores everything that it prints, so later changes do not affect
-- it.

alter table brand
  add column seller_name text,
  add column seller_address text,
  add column seller_vat_id text,
  -- In percent, such as 20 or 8.1. Null: the board charges no VAT.
  add column vat_rate double precision constraint brand_vat_rate_check check (vat_rate > 0 and vat_rate < 100),
  add column prices_include_vat boolean not null default false,
  add column bank_account_name text,
  add column bank_iban text,
  add column bank_bic text,
  add column bank_note text;

alter table employer
  add column billing_name text,
  add column billing_address text,
  add column vat_id text;

-- `vat_amount` is part of `amount`. With prices that include VAT, the sum of `amounts` equals `amount`.
alter table payment
  add column vat_rate double precision,
  add column vat_amount integer not null default 0,
  -- The formatted number, such as INV-000042. Set when the invoice is issued.
  add column invoice_number text collate "C";

-- The last number of each series. Its row is locked until the transaction that issues the invoice ends, so a
-- rollback leaves no gap. Test payments have their own series.
create table invoice_series (
  name text collate "C" primary key,
  last_number integer not null
);
insert into invoice_series (name, last_number) values ('invoice', 0), ('test', 0);

create table invoice (
  payment_id text collate "C" primary key constraint invoice_payment_fkey references payment,
  series text collate "C" not null constraint invoice_series_fkey references invoice_series,
  number integer not null,
  issued_at timestamptz(3) not null,
  document jsonb not null,
  constraint invoice_number_key unique (series, number)
);

create function refuse_invoice_change() returns trigger language plpgsql as $$
begin
  raise exception 'invoices cannot be changed';
end $$;
create trigger invoice_unchanged before update or delete on invoice for each row execute function refuse_invoice_change();
