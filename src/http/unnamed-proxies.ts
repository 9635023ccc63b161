/**
 * Counts and logs requests from proxies with a private address that `TRUST_PROXY` does not list. All clients of such a
 * proxy share its rate limits.
 */
import type { FastifyBaseLogger } from 'fastify'
import { Counter, type Registry } from 'prom-client'

/** Name of the metric that counts requests from such proxies; `doctor` reads it. */
export const UNNAMED_PROXY_METRIC = 'unnamed_proxy_requests_total'
/** Minimum interval between warnings, in milliseconds. */
const WARNING_MS = 3_600_000

/** Returns a function that counts a request from such a proxy. It logs the proxy's IP address at most once per hour. */
export function watchUnnamedProxies(metrics: Registry, log: FastifyBaseLogger): (address: string) => void {
  const requests = new Counter({
    name: UNNAMED_PROXY_METRIC,
    help: 'Requests from proxies with a private address that TRUST_PROXY does not list; all clients of such a proxy share its rate limits',
    registers: [metrics],
  })
  let warnedAt = Number.NEGATIVE_INFINITY
  return (address) => {
    requests.inc()
    if (performance.now() - warnedAt < WARNING_MS) return
    warnedAt = performance.now()
    log.warn({ proxy: address }, 'TRUST_PROXY does not list this proxy: its clients share the limits of one address')
  }
}
