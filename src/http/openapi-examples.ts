/** Creates the OpenAPI document's examples from the values that features declare by member name. */
import { type IdKind, idPrefixes } from '../lib/ids.ts'

interface JsonSchema {
  $ref?: string
  type?: string | readonly string[]
  enum?: readonly unknown[]
  format?: string
  pattern?: string
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  oneOf?: readonly JsonSchema[]
  anyOf?: readonly JsonSchema[]
  minimum?: number
  readOnly?: boolean
  required?: readonly string[]
  example?: unknown
}

/** See `Feature.examples`. */
export type Examples = Readonly<Record<string, unknown>>

/** Resource kinds, longest name first, because the most specific kind in a name must match first. */
const kinds = Object.keys(idPrefixes).sort((a, b) => b.length - a.length) as IdKind[]

/** Returns an example identifier for this name, or undefined if the name contains no resource kind. */
function exampleId(name: string): string | undefined {
  const words = name.replaceAll('_', '').toLowerCase()
  const kind = kinds.find((one) => words.includes(one.toLowerCase()))
  return kind && withPrefix(idPrefixes[kind])
}

const withPrefix = (prefix: string) => `${prefix}_01k9z6q4x0e8wbmt5n7rhv2c3d`

const formats: Record<string, unknown> = {
  date: '2026-03-02',
  'date-time': '2026-03-02T09:15:00.000Z',
  'year-month': '2020-09',
  uri: 'https://www.example.com',
  email: 'someone@example.com',
}

/** Creates examples that are valid for their schemas. */
export class ExampleMaker {
  readonly #values: Examples
  readonly #components: Readonly<Record<string, JsonSchema>>

  constructor(values: Examples, components: Readonly<Record<string, JsonSchema>>) {
    this.#values = values
    this.#components = components
  }

  /**
   * Returns an example. `owner` is the member, component or, for a body, the operation that contains the value.
   * Requests omit read-only members and optional times.
   */
  make(schema: JsonSchema, direction: 'request' | 'response', owner = ''): unknown {
    if (schema.example !== undefined) return schema.example
    if (schema.$ref !== undefined) {
      const name = schema.$ref.split('/').at(-1)!
      return this.make(this.#components[name]!, direction, name)
    }
    if (schema.oneOf) return this.make(schema.oneOf[0]!, direction, owner)
    const types = [schema.type ?? []].flat()
    if (types.includes('object')) {
      const members = Object.entries(schema.properties ?? {})
        .filter(([name, member]) => direction === 'response' || !(member.readOnly || isOptionalTime(schema, name)))
        .map(([name, member]) => {
          const known = this.known(name, member, owner)
          return [name, known === undefined ? this.make(member, direction, name === 'data' ? owner : name) : known]
        })
      return Object.fromEntries(members)
    }
    if (types.includes('array')) return [this.make(schema.items ?? {}, direction, owner)]
    if (schema.enum) return schema.enum[0]
    if (types.includes('null')) return null
    if (types.includes('boolean')) return false
    if (types.includes('integer') || types.includes('number')) return schema.minimum ?? 1
    if (types.includes('string')) return formats[schema.format ?? ''] ?? 'Text'
    return schema.anyOf ? this.make(schema.anyOf[0]!, direction, owner) : {}
  }

  /**
   * Returns the example of a parameter in the path or query: a declared one such as `listJobs.search`, a generated
   * identifier, or a small `limit`. Other parameters have none, so that example requests stay short.
   */
  parameter(operationId: string, name: string, { pattern }: JsonSchema): unknown {
    const [, start = ''] = (pattern ?? '').split('^')
    const length = start.indexOf('_[')
    const id = length > 0 ? withPrefix(start.slice(0, length)) : undefined
    return this.#values[`${operationId}.${name}`] ?? id ?? (name === 'limit' ? 10 : undefined)
  }

  /** Returns the member's declared example or, for an identifier, a generated one; otherwise undefined. */
  known(name: string, member: JsonSchema, owner: string): unknown {
    if (member.example !== undefined) return member.example
    const declared = [`${owner}.${name}`, name].find((one) => this.#values[one] !== undefined)
    if (declared !== undefined && fits(this.#values[declared], member)) return this.#values[declared]
    if (name === 'id') return exampleId(owner)
    return name.endsWith('_id') ? exampleId(name) : undefined
  }
}

/** Returns whether a member is an optional time. Requests omit these, because fixed times would soon be in the past. */
function isOptionalTime({ properties, required = [] }: JsonSchema, name: string): boolean {
  const { format, anyOf = [] } = properties![name]!
  return !required.includes(name) && [format, ...anyOf.map((one) => one.format)].includes('date-time')
}

/** Returns whether the value fits the schema. The same name can have different types in different objects. */
function fits(value: unknown, { type, enum: choices }: JsonSchema): boolean {
  if (choices) return choices.includes(value)
  const kind = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  return [type ?? []].flat().some((name) => name === kind || (kind === 'number' && name === 'integer'))
}
