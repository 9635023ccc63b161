/** Notices proxies that `TRUST_PROXY` does not name: all clients behind one share the limits of one address. */
import type { FastifyBaseLogger } from 'fastify'
import { Counter, type Registry } from 'prom-client'

/** The metric that counts their requests, which `doctor` reads. */
export const UNNAMED_PROXY_METRIC = 'unnamed_proxy_requests_total'
/** The log repeats the warning at most this often. */
const WARNING_MS = 3_600_000

/** Returns a function that takes the address of each such proxy, request by request. */
export function watchUnnamedProxies(metrics: Registry, log: FastifyBaseLogger): (address: string) => void {
  const requests = new Counter({
    name: UNNAMED_PROXY_METRIC,
    help: 'Requests that a private address forwarded which TRUST_PROXY does not name: their clients share the limits of one address',
    registers: [metrics],
  })
  let warnedAt = Number.NEGATIVE_INFINITY
  return (address) => {
    requests.inc()
    if (performance.now() - warnedAt < WARNING_MS) return
    warnedAt = performance.now()
    log.warn({ proxy: address }, 'TRUST_PROXY does not name this proxy: its clients share the limits of one address')
  }
}
