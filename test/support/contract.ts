/** Checks responses against the OpenAPI document. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { type OpenApiDocument, type Operation, responseIn } from '../../src/http/openapi-document.ts'

interface Route {
  method: string
  pattern: RegExp
  operation: Operation
}

export class Contract {
  readonly document: OpenApiDocument
  readonly #routes: Route[]
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, validateSchema: false })
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(document: OpenApiDocument) {
    this.document = document
    this.#ajv.addSchema({ $id: 'openapi', components: document.components })
    this.#routes = Object.entries(document.paths)
      .flatMap(([path, item]) =>
        Object.entries(item).map(([method, operation]) => ({
          method: method.toUpperCase(),
          pattern: new RegExp(`^/v1${path.replace(/\{\w+\}/g, '[^/]+')}$`),
          operation,
        })),
      )
      // Fixed paths take precedence over paths with parameters, as in the router.
      .sort((a, b) => Number(a.pattern.source.includes('[^/]+')) - Number(b.pattern.source.includes('[^/]+')))
  }

  get operations(): Operation[] {
    return this.#routes.map(({ operation }) => operation)
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
    const path = this.#routes.find(({ pattern }) => pattern.test(pathname))?.pattern.source
    const route = this.#routes.find((candidate) => candidate.method === method && candidate.pattern.source === path)
    if (!route) return undefined
    const { operationId, responses } = route.operation
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
    const validate = this.#validator(`${operationId} ${answer.status}`, content!.schema)
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
    if (!this.#validator(`${operationId} ${status} ${name}`, schema)(value)) {
      throw new Error(`${operationId} answered ${status} with ${name}: ${value}`)
    }
  }

  #validator(name: string, schema: object): ValidateFunction {
    let validate = this.#validators.get(name)
    if (!validate) {
      const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/'))
      validate = this.#ajv.compile(local)
      this.#validators.set(name, validate)
    }
    return validate
  }
}
