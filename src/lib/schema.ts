/** TypeBox builders shared by every feature: the one source of types, validation and the OpenAPI document. */
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { TextUse } from './characters.ts'

/** `null` beside a schema, in the form that gives one clear fault instead of one for each alternative. */
export function Nullable<T extends TSchema>(schema: T) {
  const { $id: _, type, enum: choices, ...rest } = schema as { $id?: string; type?: string; enum?: unknown[] }
  return Type.Unsafe<Static<T> | null>({
    ...rest,
    ...(type !== undefined && { type: [type, 'null'] }),
    ...(choices && { enum: [...choices, null] }),
  })
}

/** A choice from a closed list. */
export function Choice<const T extends readonly string[]>(choices: T, description?: string) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...choices], ...(description && { description }) })
}

/**
 * What only the document says of a schema, in its words: rules that validation has keywords of its own for. Members that
 * are undefined are left out of the document.
 */
export function inDocument(schema: Record<string, unknown>) {
  return { 'x-document': schema }
}

/** Text that is trimmed before its length (in characters) is judged. */
export function Text(minLength: number, maxLength: number, description?: string) {
  return Trimmed('text', minLength, maxLength, description)
}

/** The same for a text of one line that stands beside others, such as the name of a person, a company or a job. */
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

export function Slug(description?: string) {
  return Type.String({
    pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
    minLength: 1,
    maxLength: 100,
    ...(description && { description }),
  })
}

// As browsers take addresses: neither `uri` nor `iri`, which are narrower.
const anyAddress = inDocument({ format: undefined, pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' })

/** An absolute http or https address in a request. */
export function HttpUrl(description?: string) {
  return Type.String({ format: 'uri', maxLength: 2048, ...anyAddress, ...(description && { description }) })
}

/** The same in an answer. */
export function ShownUrl() {
  return Type.String({ ...anyAddress })
}

export function Email() {
  return Type.String({ format: 'email', maxLength: 254, 'x-trim': true })
}

/** The member of a registration's answer that shows the new account's first key. */
export function FirstKey() {
  const description = "The account's first key, shown only here. null when an open registration is replayed."
  return Nullable(Type.String({ description }))
}

/** RFC 3339 in UTC with milliseconds, as every answer has it. */
export function Timestamp(description?: string) {
  return Type.String({ format: 'date-time', ...(description && { description }) })
}

/** A time in a request: RFC 3339 with any offset, or a date. */
export function Moment(description?: string) {
  const forms = { format: undefined, anyOf: [{ format: 'date-time' }, { format: 'date' }], pattern: '^[1-9]' }
  return Type.String({ format: 'date-time', ...inDocument(forms), ...(description && { description }) })
}

export function Integer(minimum: number, maximum: number, description?: string) {
  return Type.Integer({ minimum, maximum, ...(description && { description }) })
}

/** An object that takes no other members. */
export function Strict<P extends TProperties>(properties: P, options: Record<string, unknown> = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options })
}

/** `{ data: … }`. */
export function Envelope<T extends TSchema>(schema: T) {
  return Strict({ data: schema })
}

/** What the answers of radius searches have as well. */
export const DistanceMember = {
  distance_miles: Type.Optional(
    Type.Number({ minimum: 0, description: 'Only in searches with distance: to the nearest place of the location.' }),
  ),
}

/** `distance_miles` of a row, to a tenth; nothing where it was not asked for. */
export function presentDistance({ distance_miles: miles }: { distance_miles?: number }): { distance_miles?: number } {
  return miles === undefined ? {} : { distance_miles: Math.round(miles * 10) / 10 }
}

/** A reference to a component schema, typed as that schema. */
export function Ref<T extends TSchema>(schema: T) {
  const { $id } = schema as { $id?: string }
  if ($id === undefined) throw new Error('Only a schema with an $id can be referred to')
  return Type.Unsafe<Static<T>>({ $ref: `${$id}#` })
}

/**
 * The body of a merging PUT: every writable member optional, and every further member of the resource allowed with
 * any value, as the service compares those with the present ones.
 */
export function MergeBody<W extends TProperties>(writable: W, readOnly: readonly string[]) {
  const partial = Type.Partial(Type.Object(writable)) as unknown as TObject<{ [K in keyof W]: W[K] }>
  const rest = Object.fromEntries(
    readOnly.map((name) => [
      name,
      { ...inDocument({ readOnly: true }), description: 'Read-only: only its present value.' },
    ]),
  )
  return Type.Unsafe<{ [K in keyof W]?: Static<W[K]> } & Record<string, unknown>>({
    type: 'object',
    properties: { ...partial.properties, ...rest },
    additionalProperties: false,
  })
}
