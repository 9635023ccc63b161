/** Reads and writes the messages of tool calls. The package for the protocol would take most of a call's time. */
import type { IncomingHttpHeaders } from 'node:http'
import type { InnerAnswer, InnerCallResponse } from '../../http/inner-calls.ts'

/** A call of a tool by a client that follows the protocol. */
interface ToolCall {
  id: string | number
  name: string
  args: Record<string, unknown>
  /** Whether the client follows a revision before 2026. */
  isLegacy: boolean
}

const METHOD = 'tools/call'
const META = 'io.modelcontextprotocol/'
const MESSAGE = new Set(['jsonrpc', 'id', 'method', 'params'])
const PARAMS = new Set(['name', 'arguments', '_meta'])

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const hasOnly = (value: object, names: ReadonlySet<string>) => Object.keys(value).every((name) => names.has(name))

/**
 * Returns the call in a message. Returns undefined for all other messages, and for calls that the package may reject or
 * answer differently.
 */
export function toolCallIn(body: unknown, headers: IncomingHttpHeaders): ToolCall | undefined {
  if (!isObject(body) || !hasOnly(body, MESSAGE) || body.jsonrpc !== '2.0' || body.method !== METHOD) return undefined
  const { id, params } = body
  if (!(typeof id === 'string' || Number.isSafeInteger(id)) || !isObject(params) || !hasOnly(params, PARAMS)) {
    return undefined
  }
  const { name, arguments: args = {}, _meta: meta = {} } = params
  if (typeof name !== 'string' || !isObject(args) || !isObject(meta)) return undefined
  const call = { id: id as string | number, name, args }
  const revision = headers['mcp-protocol-version']
  if (revision === '2025-11-25') {
    const accept = headers.accept ?? ''
    const takesBoth = accept.includes('application/json') && accept.includes('text/event-stream')
    const isPlain = Object.keys(meta).every((key) => key === 'progressToken')
    return takesBoth && isPlain ? { ...call, isLegacy: true } : undefined
  }
  const isPlain =
    revision === '2026-07-28' &&
    meta[`${META}protocolVersion`] === revision &&
    isObject(meta[`${META}clientCapabilities`]) &&
    headers['mcp-method'] === METHOD &&
    headers['mcp-name'] === name
  return isPlain ? { ...call, isLegacy: false } : undefined
}

/** Returns the result of a call as the package expects it. Results of failed calls are problem documents. */
export function resultOf({ status, body }: InnerAnswer) {
  const text = body.toString()
  const content = [{ type: 'text' as const, text }]
  return status >= 400 ? { content, isError: true } : { content, structuredContent: JSON.parse(text) }
}

/** The texts in the results of cached responses. */
const encoded = new WeakMap<Buffer, Buffer>()

function encode({ body, isAskedAgain }: InnerAnswer): Buffer {
  const known = encoded.get(body)
  if (known) return known
  // In Latin-1, each byte is one character. This takes a third of the time of UTF-8, and JSON escapes only ASCII.
  const bytes = Buffer.from(JSON.stringify(body.toString('latin1')), 'latin1')
  if (isAskedAgain) encoded.set(body, bytes)
  return bytes
}

/** Returns the response to a call, with the same bytes as the package. */
export function responseTo({ id, isLegacy }: ToolCall, answer: InnerAnswer, server: object): InnerCallResponse {
  const end = `},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`
  const meta = `,"resultType":"complete","_meta":{"${META}serverInfo":${JSON.stringify(server)}}`
  const [type, before, after] = isLegacy
    ? ['text/event-stream', 'event: message\ndata: {"result":{', `${end}\n\n`]
    : ['application/json; charset=utf-8', '{"result":{', meta + end]
  const text = [Buffer.from(`${before}"content":[{"type":"text","text":`), encode(answer)]
  const parts =
    answer.status >= 400
      ? [...text, Buffer.from(`}],"isError":true${after}`)]
      : [...text, Buffer.from('}],"structuredContent":'), answer.body, Buffer.from(after)]
  return { type, parts }
}
