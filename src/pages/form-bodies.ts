/** Parses the bodies of forms. */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseForm } from '../http/upload.ts'
import { AppError } from '../lib/errors.ts'
import type { FieldValue, FormFields } from './forms.ts'
import { cutForm, readCut } from './large-forms.ts'

const FIELDS_MAX = 2_000
/**
 * Maximum number of parts in a form with a file: enough for 50 questions with checkboxes. Reading 500 parts takes 5 ms.
 */
const PARTS_MAX = 500

/** Groups the values of a form by field. */
export function fieldsOf(entries: Iterable<[string, FieldValue]>): FormFields {
  const fields = new Map<string, FieldValue[]>()
  let count = 0
  for (const [name, value] of entries) {
    if (++count > FIELDS_MAX) throw new AppError('payload_too_large')
    const values = fields.get(name)
    if (values) values.push(value)
    else fields.set(name, [value])
  }
  return fields
}

/**
 * Yields the fields of a form one by one. URLSearchParams would parse all of them first, which takes 7 s for half a
 * million fields.
 */
function* pairsOf(body: string): Generator<[string, string]> {
  for (let from = 0; from < body.length; ) {
    const end = body.indexOf('&', from)
    const pair = body.slice(from, end === -1 ? undefined : end).replaceAll('+', ' ')
    if (pair !== '') yield decodePair(pair)
    from = end === -1 ? body.length : end + 1
  }
}

function decodePair(pair: string): [string, string] {
  const middle = pair.indexOf('=')
  const [name, value] = middle === -1 ? [pair, ''] : [pair.slice(0, middle), pair.slice(middle + 1)]
  try {
    return [decodeURIComponent(name), decodeURIComponent(value)]
  } catch {
    // URLSearchParams is slower, but it also accepts invalid UTF-8.
    return [...new URLSearchParams(pair)][0]!
  }
}

/** Restricts a scope to URL-encoded and multipart form bodies. */
export function acceptForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  const type = 'application/x-www-form-urlencoded'
  scope.addContentTypeParser(type, { parseAs: 'string' }, async (_request: FastifyRequest, body: string) =>
    fieldsOf(pairsOf(body)),
  )
  scope.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, payload: IncomingMessage) => {
    const { body, isCut } = await readCut(payload, request.routeOptions.bodyLimit)
    const parsed = await parseForm(request.headers['content-type']!, body, PARTS_MAX)
    const fields = fieldsOf(
      Object.entries(parsed).flatMap(([name, values]) =>
        [values].flat().map((value): [string, FieldValue] => [name, value as FieldValue]),
      ),
    )
    return isCut ? cutForm(fields) : fields
  })
}
