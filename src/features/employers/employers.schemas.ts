import { type Static, Type } from 'typebox'
import {
  Email,
  FirstKey,
  HttpUrl,
  Integer,
  MergeBody,
  Name,
  Nullable,
  RenderedText,
  Resource,
  ShownUrl,
  Strict,
  Text,
  Timestamp,
} from '../../lib/schema.ts'
import { parameter } from '../../lists/parameters.ts'
import type { ListDeclaration } from '../../lists/query.ts'

const profile = {
  location: Nullable(Name(1, 200)),
  website: Nullable(HttpUrl()),
  logo_url: Nullable(HttpUrl()),
  description: Nullable(Text(1, 20_000)),
  industry: Nullable(Name(1, 100)),
  employee_count: Nullable(Integer(1, 10_000_000)),
}

const employerMembers = {
  id: Type.String(),
  name: Type.String(),
  ...profile,
  cover_url: Nullable(ShownUrl()),
  is_verified: Type.Boolean({ description: 'Whether the employer has proved that it owns `verified_domain`.' }),
  verified_domain: Nullable(
    Type.String({ description: 'Domain of the website. Null until the employer proves that it owns the domain.' }),
  ),
  open_positions: Type.Integer({ minimum: 0, description: "Number of the employer's jobs on the board." }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
}

export const EmployerSchema = Resource('Employer', employerMembers)
export type Employer = Static<typeof EmployerSchema>

const detailMembers = { ...employerMembers, description_html: Nullable(RenderedText()) }

export const EmployerDetailSchema = Resource('EmployerDetail', detailMembers)
export type EmployerDetail = Static<typeof EmployerDetailSchema>

const emailMember = { email: Type.String({ description: 'Receives sign-in links. Never public.' }) }

const mailMember = {
  mail_on_application: Type.Boolean({
    description:
      'Whether to send emails to `email` about applications and messages from candidates. Members choose for themselves.',
  }),
}

const billing = {
  billing_name: Nullable(Name(1, 200, 'Company name on invoices. Null means the name in the profile.')),
  billing_address: Nullable(Text(1, 500, 'Postal address on invoices.')),
  vat_id: Nullable(Name(1, 40, 'VAT or tax ID on invoices.')),
}

/** An employer's own profile, including private members. */
export const EmployerProfileSchema = Resource('EmployerProfile', {
  ...detailMembers,
  ...emailMember,
  ...mailMember,
  ...billing,
})
export type EmployerProfile = Static<typeof EmployerProfileSchema>

export const EmployerRegisteredSchema = Resource('EmployerRegistered', { ...detailMembers, api_key: FirstKey() })

export const EmployerRegistrationBody = Strict({
  name: Name(1, 200),
  email: Email(),
  ...Type.Partial(Type.Object(profile)).properties,
})
export type EmployerRegistrationBody = Static<typeof EmployerRegistrationBody>

const writable = { name: Name(1, 200), email: Email(), ...profile, mail_on_application: Type.Boolean(), ...billing }
export const writableEmployerMembers = Object.keys(writable) as (keyof typeof writable)[]

/** Private members, which neither the public resource nor events contain. */
export const privateEmployerMembers: readonly string[] = Object.keys({ ...emailMember, ...mailMember, ...billing })

export const EmployerBody = MergeBody(writable, [
  'id',
  'cover_url',
  'is_verified',
  'verified_domain',
  'description_html',
  'open_positions',
  'created_at',
  'updated_at',
])
export type EmployerBody = Static<typeof EmployerBody>

/** The choice for companies whose names do not start with a letter from A to Z. */
export const OTHER_LETTERS = 'other'
export const letters = [...'abcdefghijklmnopqrstuvwxyz', OTHER_LETTERS]

export const directoryList = {
  name: 'companies',
  filters: {
    name: parameter.text('Prefixes of words in the name.', { suffixes: [] }),
    letter: parameter.choice('First letter of the name.', letters, { suffixes: [] }),
    industry: parameter.text('Industry, ignoring case and accents.', { suffixes: [] }),
    location: parameter.text('Whole words of the location.', { suffixes: [] }),
    all: parameter.boolean('Also shows companies without open jobs, if they have a description or a cover picture.'),
  },
  sorts: { name: {} },
  defaultSort: [{ field: 'name', direction: 'asc' }],
} as const satisfies ListDeclaration

export const deskCompanyList = {
  name: 'desk-companies',
  filters: { search: parameter.text('Prefixes of words in the name, or an ID.', { suffixes: [] }) },
  sorts: { created_at: {}, name: {} },
  defaultSort: [{ field: 'created_at', direction: 'desc' }],
} as const satisfies ListDeclaration

export const employerList = {
  name: 'employers',
  filters: {
    name: parameter.text('Name, ignoring case and accents.'),
    location: parameter.text('Whole words of the location.'),
    industry: parameter.text('Industry, ignoring case and accents.'),
    employee_count: parameter.integer('Number of employees.'),
    open_positions: parameter.integer('Number of jobs on the board.'),
    created_at: parameter.time('When the employer registered or was imported.'),
  },
  sorts: { name: {}, location: {}, created_at: {}, open_positions: {}, employee_count: {} },
  defaultSort: [{ field: 'name', direction: 'asc' }],
} as const satisfies ListDeclaration
