/**
 * Validates requests. Reports all faults in a body up to a limit, treats path parameters as plain strings, and parses
 * the query parameters of lists.
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { SchemaValidateFunction } from 'ajv/dist/types/index.js'
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { pointerToken, trimInvisible } from '../lib/bad-text.ts'
import { isIban } from '../lib/billing.ts'
import { characterFault, type TextUse } from '../lib/characters.ts'
import { counted } from '../lib/counted.ts'
import { type BodyFault, FAULTS_MAX, type ParameterFault } from '../lib/errors.ts'
import { nameHint } from '../lib/nearest.ts'
import { isCurrency } from '../lib/salary.ts'
import { parseTime } from '../lib/time.ts'
import { isHttpUrl } from '../lib/url.ts'
import { isParameterOf, type ListDeclaration, parseListQuery } from '../lists/query.ts'

/** Carries a validator's faults through Fastify to the error handler. */
export class RequestFaults extends Error {
  readonly part: 'body' | 'querystring' | 'params' | 'headers'
  readonly faults: readonly (BodyFault | ParameterFault)[]

  constructor(part: string, faults: readonly (BodyFault | ParameterFault)[]) {
    super('The request is invalid')
    this.part = part as RequestFaults['part']
    this.faults = faults
  }
}

/**
 * A list member that must have items if another member has one of these values, and must be empty or absent otherwise.
 */
interface OnlyWith {
  member: string
  of: string
  values: readonly unknown[]
}

/** Has no `i` flag, because together with `u` it would match non-ASCII letters that fold to ASCII. */
const EMAIL =
  /^[^\s\p{Cc}\p{Cf}@<>()[\]\\,;:"]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$/u

/**
 * Returns an Ajv instance with our formats and keywords. The instance never coerces values, adds defaults or removes
 * members.
 */
export function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    // TypeScript and the API document's linter check the schemas. Checking them here would add 0.2 s to every start.
    validateSchema: false,
    validateFormats: true,
    verbose: true,
    // In floating-point arithmetic, decimals such as 8.1 are not exact multiples of 0.01.
    multipleOfPrecision: 6,
  })
  ajv.addFormat('uri', isHttpUrl)
  ajv.addFormat('email', (text) => EMAIL.test(text))
  ajv.addFormat('date-time', (text) => parseTime(text, 'end') !== undefined)
  ajv.addFormat('date', (text) => /^\d{4}-\d\d-\d\d$/.test(text) && parseTime(text, 'start') !== undefined)
  ajv.addFormat('currency', isCurrency)
  ajv.addFormat('iban', isIban)
  ajv.addFormat('year-month', /^\d{4}-(?:0[1-9]|1[0-2])$/)
  // Accepts any single line with at least three digits, because phone numbers may contain text such as `+` and `ext.`.
  ajv.addFormat('phone', (text) => /^(?:\P{Nd}*\p{Nd}){3}/u.test(text) && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text))
  // Runs before the length keywords, which must validate the trimmed text.
  ajv.addKeyword({
    keyword: 'x-trim',
    type: 'string',
    modifying: true,
    before: 'maxLength',
    errors: false,
    validate: ((_on: boolean, text: string, _schema, at) => {
      if (at) at.parentData[at.parentDataProperty] = trimInvisible(text)
      return true
    }) satisfies SchemaValidateFunction,
  })
  ajv.addKeyword({
    keyword: 'x-characters',
    type: 'string',
    validate: (use: TextUse, text: string) => characterFault(text, use) === undefined,
  })
  ajv.addKeyword({
    keyword: 'x-range',
    type: 'object',
    validate: ([low, high]: [string, string], value: Record<string, unknown>) => {
      const [from, to] = [value[low], value[high]]
      return typeof from !== 'number' || typeof to !== 'number' || from <= to
    },
  })
  ajv.addKeyword({
    keyword: 'x-some-of',
    type: 'object',
    validate: (names: string[], value: Record<string, unknown>) =>
      names.some((name) => value[name] !== undefined && value[name] !== null),
  })
  ajv.addKeyword({
    keyword: 'x-unique-by',
    type: 'array',
    validate: (name: string, items: unknown[]) => {
      const ids = items.map((item) => (item as Record<string, unknown> | null)?.[name]).filter((id) => id !== undefined)
      return new Set(ids).size === ids.length
    },
  })
  ajv.addKeyword({
    keyword: 'x-only-with',
    type: 'object',
    validate: ({ member, of, values }: OnlyWith, object: Record<string, unknown>) => {
      const list = object[member]
      return values.includes(object[of]) === (Array.isArray(list) && list.length > 0)
    },
  })
  return ajv
}

/**
 * Returns a function that validates a body outside a route, such as a line of an import, and returns the body's faults.
 */
export function bodyValidator(schema: TSchema): (body: unknown) => BodyFault[] {
  const validate = createAjv().compile(schema)
  return (body) => (validate(body) ? [] : bodyFaults(validate.errors ?? []))
}

/** Returns the validator compiler that all routes use. */
export function createValidatorCompiler(
  cursorSecret: Uint8Array,
  schemas: readonly TSchema[],
): FastifySchemaCompiler<unknown> {
  const ajv = createAjv()
  for (const schema of schemas) ajv.addSchema(schema)
  return ({ schema, httpPart }) => {
    const list = listOf(schema)
    if (list) {
      return (raw: Record<string, string | string[]>) => {
        const { query, faults } = parseListQuery(list, raw, cursorSecret)
        return faults.length > 0 ? { error: new RequestFaults('querystring', faults) } : { value: query }
      }
    }
    // Compiles at the first request, because compiling every schema would add about 0.3 s to every start.
    let validate: ValidateFunction | undefined
    return (value: unknown) => {
      validate ??= ajv.compile(schema as object)
      if (validate(value)) return { value }
      const errors = validate.errors ?? []
      const faults = httpPart === 'querystring' ? parameterFaults(errors) : bodyFaults(errors)
      return { error: new RequestFaults(httpPart ?? 'body', faults) }
    }
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The faults in the body, as `bodyFaultsOf` returns them. */
    readonly faults: readonly BodyFault[]
  }
}

/**
 * Returns the faults in a request's body. Call this function only on routes with `attachValidation`, whose services add
 * their own faults and report all faults together. Throws the validation error if other parts of the request have
 * faults, or if the members of the body cannot be checked.
 */
export function bodyFaultsOf(request: Pick<FastifyRequest, 'body' | 'validationError'>): readonly BodyFault[] {
  const error = request.validationError as unknown
  if (error === undefined || error === null) return []
  if (error instanceof RequestFaults && error.part === 'body') {
    // A body that is not an object has no members to check.
    if (typeof request.body !== 'object' || request.body === null || Array.isArray(request.body)) throw error
    // Beyond the reporting limit, the valid members are unknown.
    if (error.faults.length > FAULTS_MAX) throw error
    return error.faults as BodyFault[]
  }
  throw error
}

const LIST = 'x-list'

/**
 * Returns the querystring schema of a list route, which contains the documentation and the list's declaration for the
 * validator.
 */
export function listSchemaOf(list: ListDeclaration, properties: Record<string, unknown>) {
  return { type: 'object', properties, [LIST]: list }
}

/** Returns whether a querystring schema has a parameter with this name. */
export function hasParameter(schema: unknown, name: string): boolean {
  const list = listOf(schema)
  if (list) return isParameterOf(list, name)
  return Object.hasOwn((schema as { properties?: object }).properties ?? {}, name)
}

function listOf(schema: unknown): ListDeclaration | undefined {
  return (schema as { [LIST]?: ListDeclaration } | undefined)?.[LIST]
}

function parameterFaults(errors: readonly ErrorObject[]): ParameterFault[] {
  return errors.slice(0, FAULTS_MAX + 1).map((error) => {
    if (error.keyword === 'additionalProperties') {
      const name = String(error.params.additionalProperty)
      const hint = nameHint(name, Object.keys((error.parentSchema?.properties as object) ?? {}))
      return {
        parameter: name,
        code: 'unknown_parameter',
        detail: `${JSON.stringify(name.slice(0, 64))} is not a parameter of this operation.${hint}`,
      }
    }
    const name = error.instancePath.slice(1) || String(error.params.missingProperty ?? '')
    return { parameter: name, code: 'invalid_parameter', detail: `${name} ${error.message}.` }
  })
}

/**
 * Converts Ajv's errors to faults with our codes. Returns at most one fault per code and pointer, and at most one more
 * fault than a response reports.
 */
function bodyFaults(errors: readonly ErrorObject[]): BodyFault[] {
  const faults = new Map<string, BodyFault>()
  for (const error of errors) {
    // The error of `propertyNames` itself already reports this member name.
    if (error.propertyName !== undefined) continue
    const fault = bodyFault(error)
    const key = `${fault.code} ${fault.pointer}`
    if (!faults.has(key)) faults.set(key, fault)
    if (faults.size > FAULTS_MAX) break
  }
  return [...faults.values()]
}

function bodyFault({ keyword, instancePath, params, parentSchema, schema, data, message }: ErrorObject): BodyFault {
  const tokens = instancePath.split('/').slice(1).map(unescapeToken)
  const at = (...more: string[]) => `#${[...tokens, ...more].map((token) => `/${pointerToken(token)}`).join('')}`
  const limit = params.limit ?? params.format ?? params.pattern ?? [params.type].flat()[0]
  /** Returns the fault of a member of the value, or of the value itself. */
  const broken = (code: string, words: string, member?: string): BodyFault => ({
    pointer: member === undefined ? at() : at(member),
    code,
    detail: `${member ?? tokens.at(-1) ?? 'the body'} ${words}.`,
    rule: { keyword, limit },
  })
  switch (keyword) {
    case 'required':
      return broken('required', 'is required', params.missingProperty)
    case 'additionalProperties': {
      const unknown = String(params.additionalProperty)
      const hint = nameHint(unknown, Object.keys((parentSchema?.properties as object) ?? {}))
      const shown = JSON.stringify(unknown.slice(0, 64))
      return { pointer: at(unknown), code: 'unknown_field', detail: `${shown} is not a known field.${hint}` }
    }
    case 'propertyNames': {
      const shown = JSON.stringify(String(params.propertyName).slice(0, 64))
      const detail = `${shown} must be ${describePattern((schema as { pattern: string }).pattern)}.`
      return { pointer: at(params.propertyName), code: 'invalid_format', detail }
    }
    case 'type':
      return broken('invalid_type', `must be ${describeTypes(params.type)}`)
    case 'enum': {
      const choices = (params.allowedValues as unknown[]).filter((value) => value !== null)
      return broken('not_allowed', `must be one of ${choices.join(', ')}`)
    }
    case 'minLength':
      return broken('too_short', limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`)
    case 'maxLength':
      return broken('too_long', `must have at most ${counted(limit, 'character')}`)
    case 'minimum':
      return broken('too_small', `must be at least ${limit}`)
    case 'maximum':
      return broken('too_large', `must be at most ${limit}`)
    case 'multipleOf':
      return broken('invalid_format', 'must have at most two decimal places')
    case 'minProperties':
    case 'minItems':
      return broken('too_few', `must have at least ${counted(limit, 'item')}`)
    case 'maxProperties':
    case 'maxItems':
      return broken('too_many', `must have at most ${counted(limit, 'item')}`)
    case 'uniqueItems':
      return broken('duplicate', 'must not contain duplicates')
    case 'x-unique-by':
      return broken('duplicate', `must each have a different ${schema}`)
    case 'pattern':
      return broken('invalid_format', `must be ${describePattern(params.pattern)}`)
    case 'format':
      return broken('invalid_format', `must be ${describeFormat(params.format, data)}`)
    case 'x-characters':
      return broken('invalid_text', `${characterFault(String(data), schema as TextUse)}`)
    case 'x-range': {
      const [low, high] = schema as [string, string]
      return broken('invalid_range', `must not be greater than ${high}`, low)
    }
    case 'x-some-of':
      return broken('required', `needs ${(schema as string[]).join(' or ')}`)
    case 'x-only-with': {
      const { member, of, values } = schema as OnlyWith
      const words = `is required for ${values.join(' and ')}, and not allowed for other ${of}s`
      return broken(`invalid_${member}`, words, member)
    }
    default:
      return broken('invalid', message ?? 'is not valid')
  }
}

function unescapeToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~')
}

function describeTypes(type: string | string[]): string {
  const names: Record<string, string> = { object: 'an object', array: 'an array', integer: 'an integer', null: 'null' }
  return [type]
    .flat()
    .map((name) => names[name] ?? `a ${name}`)
    .join(' or ')
}

/** Describes the pattern of a body member in words, because readers must not see regular expressions. */
function describePattern(pattern: string): string {
  const names: Record<string, string> = {
    '^[A-Z]{3}$': 'an ISO 4217 currency code in capital letters',
    '^[A-Za-z0-9_-]{1,64}$': '1 to 64 letters, digits, hyphens and underscores',
    '^[a-z0-9]+(-[a-z0-9]+)*$': 'lowercase letters and digits, joined by single hyphens',
    '^[\\x20-\\x7e]*$': 'printable ASCII',
    '^[A-Za-z]{6}[A-Za-z0-9]{2}([A-Za-z0-9]{3})?$': 'a BIC of 8 or 11 letters and digits',
    '^#[0-9A-Fa-f]{6}$': 'a color such as #0b6472',
    '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$': 'a language tag such as en or pt-BR',
  }
  return names[pattern] ?? 'in the documented format'
}

function describeFormat(format: string, value: unknown): string {
  // A domain with lookalike letters may be a different domain. The message therefore asks for the ASCII form.
  if (format === 'email' && /[^\0-\x7f]/.test(String(value).split('@').at(-1)!))
    return 'an email address with an ASCII domain (xn--…)'
  const names: Record<string, string> = {
    uri: 'an absolute http or https URL',
    email: 'an email address',
    'date-time': 'an RFC 3339 time or a date (YYYY-MM-DD)',
    date: 'a date (YYYY-MM-DD)',
    iban: 'an IBAN with valid check digits',
    currency: 'an ISO 4217 currency code',
    'year-month': 'a month (YYYY-MM)',
    phone: 'a telephone number on one line, with at least three digits',
  }
  return names[format] ?? `a valid ${format}`
}
