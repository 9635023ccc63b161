/** Checks responses against the OpenAPI document. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { type OpenApiDocument, type Operation, responseIn } from '../../src/http/openapi-document.ts'

interface Route {
  pattern: RegExp
  /** The operations at the path, by lowercase method. */
  item: Record<string, Operation>
}

export class Contract {
  readonly document: OpenApiDocument
  readonly #routes: Route[]
  readonly #ajv = new Ajv2020({
    ...{ strict: false, allErrors: true, validateFormats: false, validateSchema: false },
    // Optimizing takes longer than the optimized code saves.
    code: { optimize: false },
  })
  /** Validators by schema, and by the schema's text. Thousands of responses and headers share a hundred texts. */
  readonly #validators = new Map<object | string, ValidateFunction>()

  constructor(document: OpenApiDocument) {
    this.document = document
    this.#ajv.addSchema({ $id: 'openapi', components: document.components })
    this.#routes = Object.entries(document.paths)
      .map(([path, item]) => ({ pattern: new RegExp(`^/v1${path.replace(/\{\w+\}/g, '[^/]+')}$`), item }))
      // Fixed paths take precedence over paths with parameters, as in the router.
      .sort((a, b) => Number(a.pattern.source.includes('[^/]+')) - Number(b.pattern.source.includes('[^/]+')))
  }

  get operations(): Operation[] {
    return this.#routes.flatMap(({ item }) => Object.values(item))
  }

  /**
   * Returns the operation's ID, or undefined if the request matches no operation. Throws if the response is not as
   * documented.
   */
  check(
    method: string,
    target: string,
    answer: { status: number; headers: Headers; body: unknown; text: string },
  ): string | undefined {
    const pathname = target.split('?', 1)[0]!
    // A fixed path takes precedence even for methods that it does not support.
    const operation = this.#routes.find(({ pattern }) => pattern.test(pathname))?.item[method.toLowerCase()]
    if (!operation) return undefined
    const { operationId, responses } = operation
    const declared = responses[answer.status]
    if (!declared) throw new Error(`${operationId} answered an undocumented ${answer.status}: ${answer.text}`)
    const response = responseIn(this.document, declared)
    for (const [name, header] of Object.entries(response.headers ?? {}))
      this.#checkHeader(operationId, name, header, answer)
    const documented = Object.entries(response.content ?? {})
    if (documented.length === 0 || answer.status === 204) {
      if (answer.text !== '') throw new Error(`${operationId} answered ${answer.status} with a body: ${answer.text}`)
      return operationId
    }
    const [mediaType, content] = documented.find(([type]) => answer.headers.get('content-type')?.startsWith(type)) ?? []
    if (mediaType === undefined) {
      throw new Error(`${operationId} answered ${answer.status} as ${answer.headers.get('content-type')}`)
    }
    // The body is a file, which has no schema to check.
    if (!mediaType.includes('json')) return operationId
    const validate = this.#validator(content!.schema)
    if (!validate(answer.body)) {
      const faults = this.#ajv.errorsText(validate.errors)
      throw new Error(
        `${operationId} answered ${answer.status} with a response that violates the document (${faults}): ${answer.text}`,
      )
    }
    return operationId
  }

  #checkHeader(
    operationId: string,
    name: string,
    { required = false, schema }: { required?: boolean; schema: object },
    { status, headers }: { status: number; headers: Headers },
  ): void {
    const value = headers.get(name)
    if (value === null && !required) return
    if (value === null) throw new Error(`${operationId} answered ${status} without ${name}`)
    if (!this.#validator(schema)(value)) {
      throw new Error(`${operationId} answered ${status} with ${name}: ${value}`)
    }
  }

  #validator(schema: object): ValidateFunction {
    let validate = this.#validators.get(schema)
    if (!validate) {
      const text = JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/')
      validate = this.#validators.get(text) ?? this.#ajv.compile(JSON.parse(text))
      this.#validators.set(schema, validate).set(text, validate)
    }
    return validate
  }
}
