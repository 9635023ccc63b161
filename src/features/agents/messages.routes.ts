/**
 * Reads and writes the messages of tool calls without the protocol's SDK, which would take most of a call's time.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { InnerAnswer, InnerCallResponse } from '../../http/inner-calls.ts'
import { escapeJson } from '../../lib/json-text.ts'

/** A tool call by a client that follows the protocol. */
interface ToolCall {
  id: string | number
  name: string
  args: Record<string, unknown>
  /** Whether the client follows a protocol revision from before 2026. */
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
 * Returns the tool call in a message. Returns undefined for all other messages, and for calls that the SDK might
 * reject or handle differently.
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

/** Returns the result of a call in the SDK's format. The result of a failed call contains a problem document. */
export function resultOf({ status, body }: InnerAnswer) {
  const text = body.toString()
  const content = [{ type: 'text' as const, text }]
  return status >= 400 ? { content, isError: true } : { content, structuredContent: JSON.parse(text) }
}

const RESULT = '{"result":{"content":[{"type":"text","text":"'
const BEGIN = Buffer.from(RESULT)
const BEGIN_EVENT = Buffer.from(`event: message\ndata: ${RESULT}`)
const STRUCTURED = Buffer.from('"}],"structuredContent":')
const FAILED = Buffer.from('"}],"isError":true')

/**
 * Returns the response to a call, byte for byte the same as the SDK's response. `server` is JSON that describes the
 * server.
 */
export function responseTo(
  { id, isLegacy }: ToolCall,
  { status, body, isCached = false }: InnerAnswer,
  server: string,
): InnerCallResponse {
  const end = `},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`
  const [type, begin, after] = isLegacy
    ? ['text/event-stream', BEGIN_EVENT, `${end}\n\n`]
    : [
        'application/json; charset=utf-8',
        BEGIN,
        `,"resultType":"complete","_meta":{"${META}serverInfo":${server}}${end}`,
      ]
  const result = status >= 400 ? [FAILED] : [STRUCTURED, body]
  return { type, parts: [begin, escapeJson(body, isCached), ...result, Buffer.from(after)] }
}
