import { type Static, Type } from 'typebox'
import {
  Email,
  Iban,
  MergeBody,
  Name,
  Nullable,
  Resource,
  ShownUrl,
  Slug,
  Strict,
  Text,
  Timestamp,
} from '../../lib/schema.ts'
import { languages } from '../../locale/languages.ts'

/** The pages that every board should have, in display order. */
export const commonPages = ['imprint', 'privacy', 'terms', 'contact'] as const
export type CommonPage = (typeof commonPages)[number]

export const isCommonPage = (slug: string): slug is CommonPage => commonPages.includes(slug as CommonPage)

/** Maximum number of pages besides the common ones. */
export const OTHER_PAGES_MAX = 20
/** Maximum number of characters of a page's Markdown: about 20 printed pages. */
export const PAGE_LENGTH_MAX = 50_000
export const LOGO_BYTES_MAX = 1_048_576

/** The default language of new pages. */
export const LANGUAGE = 'en'

const Color = () =>
  Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', description: 'Hexadecimal RGB color, such as #0b6472.' })
const Language = () =>
  Type.String({ pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$', description: 'BCP 47 tag, such as en or pt-BR.' })

const writable = {
  name: Name(1, 60, 'Shown on every page, in emails and in feeds.'),
  tagline: Nullable(Name(1, 160, 'One sentence about the board.')),
  description: Nullable(Text(1, 1_000, 'For search engines and the API reference.')),
  accent_color: Nullable(Color()),
  contact_email: Nullable(Email()),
  languages: Type.Array(Type.Enum(languages), {
    minItems: 1,
    uniqueItems: true,
    description: 'Languages of the website and of emails.',
  }),
  default_language: Type.Enum(languages, {
    description: 'The language for readers who prefer none of `languages`. Must be one of `languages`.',
  }),
  seller_name: Nullable(Name(1, 200, 'Legal name of the operator, for invoices.')),
  seller_address: Nullable(Text(1, 500, 'Postal address of the operator, for invoices.')),
  seller_vat_id: Nullable(Name(1, 40, 'VAT or tax ID of the operator, for invoices.')),
  vat_rate: Nullable(
    Type.Number({
      ...{ minimum: 0.01, maximum: 99.99, multipleOf: 0.01 },
      description: 'VAT on all products in percent, such as 20 or 8.1. Null if no VAT applies.',
    }),
  ),
  prices_include_vat: Type.Boolean({
    description: 'Whether product prices include VAT. If not, VAT is added to them.',
  }),
  bank_account_name: Nullable(Name(1, 140, 'Account holder, for bank transfers.')),
  bank_iban: Nullable(Iban()),
  bank_bic: Nullable(
    Type.String({ pattern: '^[A-Za-z]{6}[A-Za-z0-9]{2}([A-Za-z0-9]{3})?$', description: 'BIC of the bank.' }),
  ),
  bank_note: Nullable(Text(1, 500, 'Other payment options, shown with the bank details.')),
}
export const writableBoardMembers = Object.keys(writable) as (keyof typeof writable)[]

export const BoardSchema = Resource('Board', {
  name: Type.String(),
  tagline: Nullable(Type.String()),
  description: Nullable(Type.String()),
  logo_url: Nullable(ShownUrl()),
  accent_color: Nullable(Type.String()),
  contact_email: Nullable(Type.String()),
  languages: Type.Array(Type.Enum(languages)),
  default_language: Type.Enum(languages),
  seller_name: Nullable(Type.String()),
  seller_address: Nullable(Type.String()),
  seller_vat_id: Nullable(Type.String()),
  vat_rate: Nullable(Type.Number({ description: 'In percent. Null if no VAT applies.' })),
  prices_include_vat: Type.Boolean(),
  bank_account_name: Nullable(Type.String()),
  bank_iban: Nullable(Type.String()),
  bank_bic: Nullable(Type.String()),
  bank_note: Nullable(Type.String()),
  default_currency: Type.String(),
  legal: Type.Array(Strict({ slug: Type.String(), title: Type.String(), url: ShownUrl() }), {
    description: 'Legal pages. Empty if the website is off.',
  }),
})
export type Board = Static<typeof BoardSchema>

export const BoardBody = MergeBody(writable, BoardSchema)
export type BoardBody = Static<typeof BoardBody>

const writableOfPage = {
  title: Name(1, 100),
  text: Text(1, PAGE_LENGTH_MAX, 'Markdown: CommonMark without raw HTML, images or first-level headings.'),
  language: Language(),
}
export const writablePageMembers = Object.keys(writableOfPage) as (keyof typeof writableOfPage)[]

export const BoardPageSchema = Resource('BoardPage', {
  slug: Type.String(),
  title: Type.String(),
  text: Type.String(),
  language: Type.String(),
  updated_at: Timestamp(),
})
export type BoardPage = Static<typeof BoardPageSchema>

export const BoardPageBody = MergeBody(writableOfPage, BoardPageSchema)
export type BoardPageBody = Static<typeof BoardPageBody>

export const BoardPageParams = Strict({ slug: Slug() })

/** The path may end in `.md`, for the Markdown version. */
export const LegalPageParams = Strict({
  slug: Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*(?:\\.md)?$', maxLength: 103 }),
})

export const NewPageBody = Strict({ slug: Slug(), ...writableOfPage })
