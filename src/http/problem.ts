/** Error responses: RFC 9457 problem documents that have a stable code and never reveal an internal cause. */
import type { FastifyError, FastifyReply } from 'fastify'
import {
  AppError,
  type BodyFault,
  badQuery,
  type ErrorCode,
  errorCatalogue,
  type ParameterFault,
  problemType,
  validationFailed,
} from '../lib/errors.ts'
import { RequestFaults } from './validation.ts'

export const PROBLEM_MEDIA_TYPE = 'application/problem+json; charset=utf-8'

export function problemDocument(error: AppError, instance: string, requestId: string): Record<string, unknown> {
  const { status, title } = errorCatalogue[error.code]
  return {
    type: problemType(error.code),
    title,
    status,
    detail: error.options.detail ?? `${title}.`,
    instance,
    code: error.code,
    request_id: requestId,
    ...(error.options.errors && { errors: error.options.errors.map(({ rule: _, words: __, ...fault }) => fault) }),
    ...error.options.extra,
  }
}

export function sendProblem(reply: FastifyReply, error: AppError): FastifyReply {
  const { id, raw } = reply.request
  // Omits the query, which can contain arbitrary text.
  const [path = '/'] = raw.url?.split('?', 1) ?? []
  const body = problemDocument(error, path.slice(0, 512), id)
  return reply
    .code(error.status)
    .headers(error.options.headers ?? {})
    .header('cache-control', 'no-store')
    .type(PROBLEM_MEDIA_TYPE)
    .serializer((payload: unknown) => JSON.stringify(payload))
    .send(body)
}

/** Our error codes, keyed by Fastify's error codes. */
const fastifyCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_request',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'uri_too_long',
}

/**
 * Converts any error to an `AppError`. Client errors never become a 500, and internal errors never reveal their causes.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof RequestFaults) {
    if (error.part === 'params') return new AppError('not_found')
    if (error.part === 'querystring') return badQuery(error.faults as ParameterFault[])
    return validationFailed(error.faults as BodyFault[])
  }
  const { code = '', statusCode } = error as Partial<FastifyError>
  const known = fastifyCodes[code]
  if (known) return new AppError(known, { cause: error })
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new AppError('bad_request', { cause: error })
  }
  return new AppError('internal_error', { cause: error })
}
