/** Creates the examples in the OpenAPI document from member names. Together, they tell a short fictional story. */
import { idPrefixes } from '../lib/ids.ts'

interface JsonSchema {
  $ref?: string
  type?: string | readonly string[]
  enum?: readonly unknown[]
  format?: string
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  oneOf?: readonly JsonSchema[]
  anyOf?: readonly JsonSchema[]
  minimum?: number
  readOnly?: boolean
  example?: unknown
}

const idOf = (prefix: string) => `${prefix}_01k9z6q4x0e8wbmt5n7rhv2c3d`

/**
 * Example values by member name, or by `parent.member` if the name is ambiguous. The parent is a member or a component.
 */
const values: Record<string, unknown> = {
  account_id: idOf(idPrefixes.employer),
  amount: 9_900,
  api_key: 'jm_emp_…',
  application_count: 3,
  application_url: `https://board.example/v1/candidates/jobs/${idOf(idPrefixes.job)}/apply`,
  benefits: ['A van of your own'],
  category: 'powertrain-battery',
  company: 'Voltaire Vans',
  company_logo_url: 'https://voltaire.example/logo.png',
  company_website: 'https://voltaire.example',
  contact_email: 'jobs@voltaire.example',
  content_base64: 'QWRhIEJyYW5kdCwgYmF0dGVyeSBlbmdpbmVlcg==',
  content_type: 'text/plain',
  cover_letter: 'I have designed battery packs for six years.',
  currency: 'EUR',
  custom_questions: [{ id: 'licence', label: 'Do you hold a driving licence?', type: 'boolean', required: true }],
  degree: 'MSc',
  description: 'Design battery packs for electric vans.',
  distance_miles: 12.4,
  duration_days: 30,
  duration_ms: 84,
  email: 'ada.brandt@mail.example',
  employee_count: 240,
  end_date: null,
  event_id: idOf(idPrefixes.event),
  expires_at: '2026-04-01T09:15:00.000Z',
  field: 'Electrical engineering',
  filename: 'ada-brandt.txt',
  first_name: 'Ada',
  frequency: 'daily',
  grace_period_seconds: 86_400,
  headline: 'Battery engineer',
  industry: 'Vehicle makers',
  institution: 'Chalmers',
  key: 'jm_emp_…',
  label: 'Do you hold a driving licence?',
  last4: 'x7Qa',
  last_name: 'Brandt',
  location: 'Gothenburg, Sweden',
  logo_url: 'https://voltaire.example/logo.png',
  max: 68_000,
  min: 52_000,
  name: 'Voltaire Vans',
  open_positions: 1,
  period: 'year',
  phone: '+46 31 555 0100',
  prefix: 'jm_emp_',
  products: ['job-post'],
  provider: 'manual',
  reason: 'The position is filled.',
  requirements: ['Three years with lithium cells'],
  reporter_id: idOf(idPrefixes.candidate),
  response_status: 200,
  resume_url: `https://board.example/v1/candidates/resume/${idOf(idPrefixes.resume)}`,
  scopes: ['jobs:read'],
  secret: 'whsec_for_the_documentation_only',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  since: '2026-03-01T00:00:00.000Z',
  size_bytes: 28,
  skills: ['CAN', 'MATLAB'],
  slug: 'job-post',
  start_date: '2020-09',
  summary: 'Six years with lithium cells.',
  title: 'Battery engineer',
  type: 'full-time',
  until: '2026-03-02T09:15:00.000Z',
  url: 'https://hooks.voltaire.example/board',
  website: 'https://voltaire.example',
  'Application.custom_questions': { licence: true },
  'ApiKey.name': 'Careers page',
  'EmployerApplication.custom_questions': { licence: true },
  'Event.type': 'job.created',
  'JobAlert.name': 'Batteries in Sweden',
  'Me.key': { id: idOf(idPrefixes.apiKey), name: 'First key', last4: 'x7Qa' },
  'NamedCount.name': 'Powertrain and battery',
  'NamedCount.slug': 'powertrain-battery',
  'Product.name': 'Job post, 30 days',
  'Resume.url': `https://board.example/v1/candidates/resume/${idOf(idPrefixes.resume)}`,
  'ResumeBrief.url': `https://board.example/v1/candidates/resume/${idOf(idPrefixes.resume)}`,
  'account.name': 'Ada Brandt',
  'candidate.name': 'Ada Brandt',
  'custom_questions.id': 'licence',
  'custom_questions.type': 'boolean',
  'resume.url': `https://board.example/v1/candidates/resume/${idOf(idPrefixes.resume)}`,
  'sort.directions': ['desc'],
  'sort.fields': ['posted_at'],
}

const prefixes: readonly [RegExp, string][] = [
  [/apikey|key/i, idPrefixes.apiKey],
  [/alert/i, idPrefixes.jobAlert],
  [/report$|^JobReport/i, idPrefixes.jobReport],
  [/application/i, idPrefixes.application],
  [/job/i, idPrefixes.job],
  [/candidate|account/i, idPrefixes.candidate],
  [/employer/i, idPrefixes.employer],
  [/resume/i, idPrefixes.resume],
  [/payment/i, idPrefixes.payment],
  [/recovery/i, idPrefixes.webhookRecovery],
  [/delivery/i, idPrefixes.webhookDelivery],
  [/webhook/i, idPrefixes.webhook],
]

const formats: Record<string, unknown> = {
  date: '2026-03-02',
  'date-time': '2026-03-02T09:15:00.000Z',
  'year-month': '2020-09',
  uri: 'https://voltaire.example',
  email: 'jobs@voltaire.example',
}

/**
 * Returns an example value that is valid for the schema. `owner` is the member or component that contains the value.
 */
export function exampleOf(
  schema: JsonSchema,
  components: Readonly<Record<string, JsonSchema>>,
  direction: 'request' | 'response',
  owner = '',
): unknown {
  const inner = (part: JsonSchema, name: string) => exampleOf(part, components, direction, name)
  if (schema.example !== undefined) return schema.example
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1)!
    return inner(components[name]!, name)
  }
  if (schema.oneOf) return inner(schema.oneOf[0]!, owner)
  const types = [schema.type ?? []].flat()
  if (types.includes('object')) {
    const members = Object.entries(schema.properties ?? {}).filter(
      ([, member]) => direction === 'response' || !member.readOnly,
    )
    return Object.fromEntries(members.map(([name, member]) => [name, memberExample(name, member, owner, inner)]))
  }
  if (types.includes('array')) return [inner(schema.items ?? {}, owner)]
  if (schema.enum) return schema.enum[0]
  if (types.includes('null')) return null
  if (types.includes('boolean')) return false
  if (types.includes('integer') || types.includes('number')) return schema.minimum ?? 1
  if (types.includes('string')) return formats[schema.format ?? ''] ?? 'Text'
  return schema.anyOf ? inner(schema.anyOf[0]!, owner) : {}
}

function memberExample(
  name: string,
  member: JsonSchema,
  owner: string,
  inner: (schema: JsonSchema, owner: string) => unknown,
): unknown {
  if (member.example !== undefined) return member.example
  const value = values[`${owner}.${name}`] ?? values[name]
  if (value !== undefined && fits(value, member)) return value
  if (name === 'id' || name.endsWith('_id')) {
    const prefix = prefixes.find(([pattern]) => pattern.test(name === 'id' ? owner : name))?.[1]
    if (prefix) return idOf(prefix)
  }
  return inner(member, name === 'data' ? owner : name)
}

/** Returns whether the value has the schema's type. The same name can have different types in different objects. */
function fits(value: unknown, { type, enum: choices }: JsonSchema): boolean {
  if (choices) return choices.includes(value)
  const kind = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  return [type ?? []].flat().some((name) => name === kind || (kind === 'number' && name === 'integer'))
}
