/**
 * TypeBox schema builders for all features. Types, validation and the OpenAPI document all derive from these schemas.
 */
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { TextUse } from './characters.ts'
import { type IdKind, idPattern } from './ids.ts'
import { LANGUAGE_TAG, LANGUAGE_TAG_MAX } from './language-tags.ts'

/** Returns a schema that also allows `null`. An invalid value yields a single fault instead of one per alternative. */
export function Nullable<T extends TSchema>(schema: T) {
  const { $id: _, type, enum: choices, ...rest } = schema as { $id?: string; type?: string; enum?: unknown[] }
  return Type.Unsafe<Static<T> | null>({
    ...rest,
    ...(type !== undefined && { type: [type, 'null'] }),
    ...(choices && { enum: [...choices, null] }),
  })
}

/** Returns the schema of an enumeration. */
export function Choice<const T extends readonly string[]>(choices: T, description?: string) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...choices], ...(description && { description }) })
}

/**
 * Returns keywords that appear only in the OpenAPI document, for rules that validation implements differently. An
 * undefined member removes that keyword from the document.
 */
export function inDocument(schema: Record<string, unknown>) {
  return { 'x-document': schema }
}

/** Returns the schema of text that is trimmed before its length in characters is checked. */
export function Text(minLength: number, maxLength: number, description?: string) {
  return Trimmed('text', minLength, maxLength, description)
}

/**
 * Returns the schema of trimmed single-line text that appears next to other text, such as a person's, company's or
 * job's name.
 */
export function Name(minLength: number, maxLength: number, description?: string) {
  return Trimmed('name', minLength, maxLength, description)
}

function Trimmed(use: TextUse, minLength: number, maxLength: number, description: string | undefined) {
  return Type.String({
    minLength,
    maxLength,
    'x-trim': true,
    'x-characters': use,
    ...(minLength > 0 && inDocument({ pattern: '\\S' })),
    ...(description && { description }),
  })
}

/** Returns the schema of an ID of this kind. */
export function Id(kind: IdKind, description?: string) {
  return Type.String({ pattern: idPattern(kind), ...(description && { description }) })
}

export function Slug(description?: string) {
  return Type.String({
    pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
    minLength: 1,
    maxLength: 100,
    ...(description && { description }),
  })
}

// Allows all URLs that browsers accept; the formats `uri` and `iri` allow fewer.
const anyAddress = inDocument({ format: undefined, pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' })

/** Returns the schema of an absolute http or https URL in a request. */
export function HttpUrl(description?: string) {
  return Type.String({ format: 'uri', maxLength: 2048, ...anyAddress, ...(description && { description }) })
}

/** Returns the schema of an absolute http or https URL in a response. */
export function ShownUrl() {
  return Type.String({ ...anyAddress })
}

/** Returns the schema of HTML that the service rendered from Markdown, in a response. */
export function RenderedText() {
  return Type.String({ description: 'The description as sanitized HTML, as shown on pages.' })
}

export function Email() {
  return Type.String({ format: 'email', maxLength: 254, 'x-trim': true })
}

/** Returns the schema of a BCP 47 language tag. */
export function LanguageTag(description: string) {
  return Type.String({ pattern: LANGUAGE_TAG, maxLength: LANGUAGE_TAG_MAX, description })
}

export function Iban(description?: string) {
  return Type.String({
    format: 'iban',
    minLength: 1,
    maxLength: 60,
    'x-trim': true,
    ...inDocument({ format: undefined }),
    description: description ?? 'IBAN with valid check digits, with or without spaces.',
  })
}

/** Returns the schema of a new account's first API key in the response to a registration. */
export function FirstKey() {
  const description =
    "The account's first API key, shown only here. Null in a replayed response if the registration was sent without an API key."
  return Nullable(Type.String({ description }))
}

/** Returns the schema of a time in a response: RFC 3339 in UTC with milliseconds. */
export function Timestamp(description?: string) {
  return Type.String({ format: 'date-time', ...(description && { description }) })
}

/** Returns the schema of a time in a request: RFC 3339 with any offset, or a date. */
export function Moment(description?: string) {
  const forms = { format: undefined, anyOf: [{ format: 'date-time' }, { format: 'date' }], pattern: '^[1-9]' }
  return Type.String({ format: 'date-time', ...inDocument(forms), ...(description && { description }) })
}

/** Returns the schema of a date without a time. */
export function Day(description?: string) {
  return Type.String({ format: 'date', ...(description && { description }) })
}

export function Integer(minimum: number, maximum: number, description?: string) {
  return Type.Integer({ minimum, maximum, ...(description && { description }) })
}

/** Returns the schema of an object without additional members. */
export function Strict<P extends TProperties>(properties: P, options: Record<string, unknown> = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options })
}

/** Returns the schema of a resource, which is a component of the OpenAPI document with the name `$id`. */
export function Resource<P extends TProperties>($id: string, properties: P, options: Record<string, unknown> = {}) {
  return Strict(properties, { $id, ...options })
}

/** Returns the schema of `{ data: … }`. */
export function Envelope<T extends TSchema>(schema: T) {
  return Strict({ data: schema })
}

/** The schema of a response without a body. */
export const NoContent = Type.Null()

/** The additional member of resources in radius searches. */
export const DistanceMember = {
  distance_miles: Type.Optional(
    Type.Number({
      minimum: 0,
      description:
        'Distance in miles from the center of the search to the nearest geocoded point; only in searches with `distance`.',
    }),
  ),
}

/**
 * Returns an object with a row's `distance_miles`, rounded to a tenth, or an empty object if the row has no distance.
 */
export function presentDistance({ distance_miles: miles }: { distance_miles?: number }): { distance_miles?: number } {
  return miles === undefined ? {} : { distance_miles: Math.round(miles * 10) / 10 }
}

/** Returns a reference to a component schema, typed as that schema. */
export function Ref<T extends TSchema>(schema: T) {
  const { $id } = schema as { $id?: string }
  if ($id === undefined) throw new Error('Only a schema with an $id can be referenced')
  return Type.Unsafe<Static<T>>({ $ref: `${$id}#` })
}

/**
 * Returns the body schema of a merging PUT. Every writable member is optional. Accepts any value for read-only members,
 * because the service compares them with the current values. `rest` contains the names of the read-only members, or is
 * the resource, whose other members are read-only.
 */
export function MergeBody<W extends TProperties>(writable: W, rest: readonly string[] | TObject) {
  const partial = Type.Partial(Type.Object(writable)) as unknown as TObject<{ [K in keyof W]: W[K] }>
  const names = 'properties' in rest ? Object.keys(rest.properties) : rest
  const readOnly = Object.fromEntries(
    names
      .filter((name) => !Object.hasOwn(writable, name))
      .map((name) => [
        name,
        { ...inDocument({ readOnly: true }), description: 'Read-only. Omit it or send its current value.' },
      ]),
  )
  return Type.Unsafe<{ [K in keyof W]?: Static<W[K]> } & Record<string, unknown>>({
    type: 'object',
    properties: { ...partial.properties, ...readOnly },
    additionalProperties: false,
  })
}
