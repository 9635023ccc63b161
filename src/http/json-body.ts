/** Parses JSON bodies. */
import type { FastifyInstance } from 'fastify'
import { findUnstorableText, JSON_DEPTH_MAX } from '../lib/bad-text.ts'
import { AppError, validationFailed } from '../lib/errors.ts'
import { exceededBound, mostValues } from '../lib/json-bounds.ts'

/**
 * Maximum number of values in a body. The largest valid body, a job with 50 questions and 100 options each, has 5,600
 * values.
 */
const BODY_VALUES_MAX = 10_000
/** Maximum number of surplus values for which the service still reports individual faults. */
const SURPLUS_VALUES_MAX = 1_000

const tooDeep = () =>
  new AppError('invalid_json', { detail: `The body is nested deeper than ${JSON_DEPTH_MAX} levels.` })

/** Returns an error if an unparsed body has far more values than the route accepts, or is nested too deeply. */
function excessOf(body: Buffer, schema: unknown): AppError | undefined {
  const valuesMax = valuesMaxOf(schema)
  const excess = exceededBound(body, { valuesMax, depthMax: JSON_DEPTH_MAX })
  if (excess === 'depth') return tooDeep()
  if (excess === undefined) return undefined
  const detail = `The body contains more than ${valuesMax} values.`
  return validationFailed([{ pointer: '#', code: 'too_many', detail }])
}

const valuesMaxBySchema = new WeakMap<object, number>()

function valuesMaxOf(schema: unknown): number {
  if (typeof schema !== 'object' || schema === null) return BODY_VALUES_MAX
  let valuesMax = valuesMaxBySchema.get(schema)
  if (valuesMax === undefined) {
    valuesMax = Math.min(BODY_VALUES_MAX, mostValues(schema) + SURPLUS_VALUES_MAX)
    valuesMaxBySchema.set(schema, valuesMax)
  }
  return valuesMax
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses bodies as JSON. Refuses bodies that are nested too deeply, have far more values than the route accepts, or
 * contain text that the database cannot store.
 */
export function parseJsonStrictly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined)
    const excess = excessOf(body as Buffer, request.routeOptions.schema?.body)
    if (excess) return done(excess)
    let value: unknown
    try {
      value = JSON.parse(utf8.decode(body as Buffer))
    } catch {
      return done(new AppError('invalid_json', { detail: 'The body is not valid JSON in UTF-8.' }))
    }
    const unstorable = findUnstorableText(value)
    if (unstorable === undefined) return done(tooDeep())
    // Text that cannot be stored is allowed if the route has no schema for its body. Such a route discards the body, or
    // passes parts of it to operations that check them.
    if (unstorable.length > 0 && request.routeOptions.schema?.body) {
      const detail = 'Text must not contain NUL characters or unpaired surrogates.'
      return done(validationFailed(unstorable.map((pointer) => ({ pointer, code: 'invalid_text', detail }))))
    }
    done(null, value)
  })
}
