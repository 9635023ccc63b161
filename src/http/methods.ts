/** Makes the router treat every method that it does not know as TRACE. */
import type { IncomingMessage } from 'node:http'

/** The methods that the router knows. Each further method would add a copy of every route to the router. */
export const ROUTED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

const routed: ReadonlySet<string | undefined> = new Set(ROUTED_METHODS)
const methods = new WeakMap<IncomingMessage, string>()

/** Replaces a method that the router does not know with TRACE, which no route supports. */
export function substituteMethod(request: IncomingMessage): void {
  if (routed.has(request.method)) return
  methods.set(request, request.method!)
  request.method = 'TRACE'
}

/** Restores the method of a request after routing. */
export function restoreMethod(request: IncomingMessage): void {
  if (request.method === 'TRACE') request.method = methods.get(request) ?? 'TRACE'
}
