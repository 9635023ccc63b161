/** Adds code samples to every operation of the OpenAPI document: in each language or, for streams, only for curl. */
import {
  type ExampleBody,
  type ExampleLanguage,
  type ExampleRequest,
  exampleLanguages,
  keyHeader,
  keyVariables,
  renderExample,
} from '../lib/request-examples.ts'
import type { OpenApiDocument, Operation } from './openapi-document.ts'

/** The media type of responses that last until the client disconnects. */
export const STREAMED = 'text/event-stream'

/** A program in the extension `x-codeSamples`, which viewers of the document show. */
export interface CodeSample {
  lang: ExampleLanguage
  label: string
  source: string
}

const languages = Object.keys(exampleLanguages) as ExampleLanguage[]

/** Adds the samples to the document in place. */
export function addSamples({ paths, servers }: OpenApiDocument): void {
  const base = servers![0]!.url
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const request = requestOf(operation, method.toUpperCase(), base + path)
      const shown = request.answer === 'stream' ? (['curl'] as const) : languages
      operation['x-codeSamples'] = shown.map((lang) => ({
        lang,
        label: exampleLanguages[lang],
        source: renderExample(lang, [request], keyVariables),
      }))
    }
  }
}

/** Returns an example request, built from the examples of the operation's parameters and body. */
function requestOf({ parameters = [], security, requestBody, responses }: Operation, method: string, url: string) {
  let path = url
  const query: string[] = []
  for (const { name, in: where, example } of parameters) {
    if (example === undefined) continue
    const value = encodeURIComponent(String(example))
    if (where === 'path') path = path.replace(`{${name}}`, value)
    if (where === 'query') query.push(`${name}=${value}`)
  }
  // Operations that need no key, such as registration, may still list the keys that they accept.
  const needsKey = security?.length !== 0 && !security?.some((one) => Object.keys(one).length === 0)
  const body = bodyOf(requestBody)
  const request: ExampleRequest = {
    method,
    url: query.length === 0 ? path : `${path}?${query.join('&')}`,
    headers: { ...(needsKey && keyHeader), ...body?.headers },
    ...(body && { body: body.body }),
    ...answerOf(responses),
  }
  return request
}

/** Example files, by media type. An example sends the first of these types that the operation accepts. */
const files: Readonly<Record<string, string>> = { 'application/pdf': 'resume.pdf', 'image/png': 'picture.png' }

/** Returns the body of an example, if any: a file if the operation accepts one, otherwise JSON. */
function bodyOf(
  requestBody: Operation['requestBody'],
): { body: ExampleBody; headers: Record<string, string> } | undefined {
  if (!requestBody) return undefined
  const { content } = requestBody
  for (const [type, file] of Object.entries(files)) {
    if (!(type in content)) continue
    const disposition = type === 'application/pdf' && { 'Content-Disposition': `attachment; filename="${file}"` }
    return { body: { kind: 'file', file }, headers: { 'Content-Type': type, ...disposition } }
  }
  const { example = {} } = content['application/json'] ?? {}
  // An empty body may be omitted.
  if (Object.keys(example as object).length === 0) return undefined
  return { body: { kind: 'json', value: example }, headers: { 'Content-Type': 'application/json' } }
}

/** Returns how the sample handles a successful response: prints JSON or a stream, stores a file, or ignores it. */
function answerOf(responses: Operation['responses']): Pick<ExampleRequest, 'answer'> {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const types = Object.keys((success && 'content' in success && success.content) || {})
  if (types.length === 0) return { answer: 'none' }
  if (types.includes('application/json')) return {}
  if (types.includes(STREAMED)) return { answer: 'stream' }
  return { answer: { file: 'download.pdf' } }
}
