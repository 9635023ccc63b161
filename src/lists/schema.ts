/** Describes a list's filters as JSON Schema, for the OpenAPI document only. */
import { LIST_ITEMS_MAX, type Parameter } from './parameters.ts'
import { type ListDeclaration, namedParameters } from './query.ts'

type JsonSchema = Record<string, unknown>

/** Returns the schema of each filter, by parameter name. */
export function filterSchemas(list: ListDeclaration): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {}
  for (const [name, declared] of namedParameters(list)) {
    schemas[name] = parameterSchema(declared)
    for (const suffix of declared.suffixes) schemas[`${name}_${suffix}`] = suffixSchema(declared, suffix)
  }
  return schemas
}

export function separated(items: JsonSchema): JsonSchema {
  return { type: 'array', items, minItems: 1, maxItems: LIST_ITEMS_MAX, style: 'form', explode: false }
}

function parameterSchema(declared: Parameter): JsonSchema {
  const { description } = declared
  return declared.type === 'text-list'
    ? { ...separated(itemSchema(declared)), description }
    : { ...scalarSchema(declared), description }
}

/** Returns the schema of a single value that the list parser accepts. */
function scalarSchema({ type, choices, minimum, maximum, maxLength }: Parameter): JsonSchema {
  switch (type) {
    // An empty value counts as absent, so the schemas of strings allow it.
    case 'choice':
      return { type: 'string', enum: [...choices!, ''] }
    case 'integer':
      return { type: 'integer', minimum, maximum }
    case 'number':
      return { type: 'number', exclusiveMinimum: minimum, maximum }
    case 'boolean':
      return { type: 'boolean' }
    case 'slug':
      return { type: 'string', pattern: '^([a-z0-9]+(-[a-z0-9]+)*)?$', maxLength }
    case 'currency':
      return { type: 'string', pattern: '^([A-Za-z]{3})?$' }
    case 'language':
      return { type: 'string', pattern: '^([a-z]{2,3})?$' }
    case 'time':
      return { type: 'string', anyOf: [{ format: 'date-time' }, { format: 'date' }, { const: '' }] }
    default:
      return { type: 'string', maxLength }
  }
}

/** Returns the schema of one item in a comma-separated list, which must not be empty or contain a comma. */
function itemSchema(declared: Parameter): JsonSchema {
  if (declared.type === 'choice') return { type: 'string', enum: declared.choices }
  const isText = declared.type === 'text' || declared.type === 'text-list'
  return {
    ...scalarSchema(declared),
    ...(isText ? { pattern: '^\\s*[^,\\s][^,]*$' } : { minLength: 1 }),
  }
}

const suffixWords = {
  gt: 'Greater than',
  lt: 'Less than',
  gte: 'At least',
  lte: 'At most',
  not: 'Not equal to',
} as const

function suffixSchema(declared: Parameter, suffix: Parameter['suffixes'][number]): JsonSchema {
  if (suffix === 'in') return { ...separated(itemSchema(declared)), description: 'Matches any of these values.' }
  if (suffix === 'not' && declared.type === 'text-list') {
    return { ...parameterSchema(declared), description: 'Matches none of these values.' }
  }
  return { ...parameterSchema(declared), description: `${suffixWords[suffix]} the value.` }
}
