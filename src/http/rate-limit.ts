/** Applies rate limits (decision 0039): the quotas, their subjects and their response headers. */
import type { IncomingMessage } from 'node:http'
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Counter, type Registry } from 'prom-client'
import { type BudgetName, type Budgets, describeBudgets } from '../lib/budgets.ts'
import { AppError } from '../lib/errors.ts'
import { type Policy, Quota } from '../lib/quota.ts'
import type { Actor } from '../lib/scopes.ts'
import type { Clock } from '../lib/time.ts'
import { isInnerCall } from './inner-calls.ts'

/** A request quota. Each key, account or network that it applies to can use the full quota. */
export type RequestLimit = Omit<Policy, 'name'>

/** The general quotas. Features declare additional quotas for their own routes. */
const generalLimits = {
  /** Requests with a secret API key or a session, per key or session. */
  key: { quota: 6_000, windowS: 60 },
  /** Requests with a publishable key, per network, because every visitor of a website uses the same key. */
  publishable: { quota: 300, windowS: 60 },
  /** Requests without an API key, or to routes that ignore the key, per network. */
  address: { quota: 600, windowS: 60 },
  /** Failed authentications, such as requests with an invalid API key, per network. */
  authentication: { quota: 60, windowS: 60 },
} as const satisfies Record<string, RequestLimit>

/** The quotas of a process, by name. */
export type Quotas = Readonly<Record<keyof typeof generalLimits, Quota> & Record<string, Quota>>

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Name of an additional quota toward which requests to this route count. A feature's manifest declares the quota.
     */
    limit?: string
    /** The budgets that this route charges, in addition to `responses`, which every route charges. */
    charges?: readonly BudgetName[]
  }
}

/** Creates a process's quotas: the general quotas and the quotas that features declare. */
export function createQuotas(declared: Readonly<Record<string, RequestLimit>>): Quotas {
  const limits = Object.entries<RequestLimit>({ ...declared, ...generalLimits })
  return Object.fromEntries(limits.map(([name, limit]) => [name, new Quota({ name, ...limit })])) as Quotas
}

export interface RateLimitOptions {
  quotas: Quotas
  budgets: Budgets
  clock: Clock
  /** Returns the network that a request came from. */
  networkOf: (request: IncomingMessage) => string
  metrics: Registry
}

/** The parts of a route's configuration that determine its limits. */
type Counted = Pick<FastifyContextConfig, 'access' | 'limit' | 'charges'>

/** The result of counting one request toward a quota. */
interface QuotaUse {
  name: string
  /** Negative if the request is refused. */
  left: number
  resetS: number
  /** The quota's item in the RateLimit-Policy header. */
  described: string
  /** The quota's item in the RateLimit header. */
  standing: string
}

const NO_CHARGES: readonly BudgetName[] = []

export class RateLimiter {
  readonly #quotas: Quotas
  readonly #budgets: Budgets
  /**
   * The names and `RateLimit-Policy` items of all budgets that a route charges, keyed by the route's additional
   * budgets.
   */
  readonly #charged = new Map<readonly BudgetName[], { names: readonly BudgetName[]; described: string }>()
  readonly #clock: Clock
  readonly #networkOf: (request: IncomingMessage) => string
  readonly #refused: Counter<'policy'>

  constructor({ quotas, budgets, clock, networkOf, metrics }: RateLimitOptions) {
    this.#quotas = quotas
    this.#budgets = budgets
    this.#clock = clock
    this.#networkOf = networkOf
    this.#refused = new Counter({
      name: 'rate_limited_requests_total',
      help: 'Requests refused because a quota was used up, by policy',
      labelNames: ['policy'],
      registers: [metrics],
    })
  }

  /** Throws if a route of this scope names a quota that no feature declares. */
  checkRoutes(scope: FastifyInstance): void {
    scope.addHook('onRoute', ({ url, config: { limit } = {} }) => {
      if (limit !== undefined && !this.#quotas[limit]) throw new Error(`${url}: the limit ${limit} is not declared`)
    })
  }

  /** Counts a request with a valid key. Like all `count` methods, returns the error if the request is refused. */
  countKey(request: FastifyRequest, reply: FastifyReply, actor: Actor, counted: Counted): AppError | undefined {
    return this.#countKey(request, reply, actor, counted) ?? this.#charge(reply, request.chargedTo, counted.charges)
  }

  #countKey(request: FastifyRequest, reply: FastifyReply, actor: Actor, { limit }: Counted): AppError | undefined {
    const now = this.#clock.now().getTime()
    const refusal = isInnerCall(request.raw) ? undefined : this.#takeGeneral(request, reply, actor, now)
    if (refusal || limit === undefined) return refusal
    if (!this.#quotas[limit]!.policy.isPerNetwork)
      return this.#take(reply, this.#use(limit, request.chargedTo, now), true)
    if (actor.kind === 'admin' || actor.kind === 'integrator') return undefined
    return this.#take(reply, this.#use(limit, this.#networkOf(request.raw), now), true)
  }

  #takeGeneral(request: FastifyRequest, reply: FastifyReply, { key }: Actor, now: number): AppError | undefined {
    const use = key.publishable
      ? this.#use('publishable', this.#networkOf(request.raw), now)
      : this.#use('key', key.id, now)
    return this.#take(reply, use)
  }

  /**
   * Counts a request with a valid key and returns its rate-limit headers. If the request would be refused, returns
   * `undefined` and counts nothing.
   */
  takeKey({ key, accountId }: Actor, charges?: readonly BudgetName[]): string[] | undefined {
    return this.#takeIfLeft('key', key.id, accountId, charges)
  }

  /** Works like `takeKey`, but for a keyless request to a public route. */
  takeNetwork(network: string, charges?: readonly BudgetName[]): string[] | undefined {
    return this.#takeIfLeft('address', network, network, charges)
  }

  #takeIfLeft(
    name: string,
    subject: string,
    account: string,
    charges: readonly BudgetName[] | undefined,
  ): string[] | undefined {
    const now = this.#clock.now().getTime()
    if (this.#budgets.isSpent('responses', account, now)) return undefined
    const { left, described, standing } = this.#use(name, subject, now)
    if (left < 0) return undefined
    const charged = this.#chargedBy(charges)
    const rest = this.#budgets.describeRest(charged.names, account, now)
    return ['ratelimit-policy', `${described}, ${charged.described}`, 'ratelimit', `${standing}, ${rest}`]
  }

  /** Counts a request without a key, or to a route that ignores the key. */
  countAddress(request: FastifyRequest, reply: FastifyReply, counted: Counted = {}): AppError | undefined {
    const network = this.#networkOf(request.raw)
    return this.#countAddress(reply, network, counted) ?? this.#charge(reply, network, counted.charges)
  }

  #countAddress(reply: FastifyReply, network: string, { access, limit }: Counted): AppError | undefined {
    const now = this.#clock.now().getTime()
    const refusal = this.#take(reply, this.#use('address', network, now))
    // Routes that require a key refuse this request, so it does not count toward their own limit.
    if (refusal || limit === undefined || typeof access === 'object') return refusal
    return this.#take(reply, this.#use(limit, network, now), true)
  }

  /** Adds `amount` to the count of the request's key or network, for requests that count more than once. */
  countMore(request: FastifyRequest, reply: FastifyReply, amount: number): AppError | undefined {
    if (amount <= 0) return undefined
    const now = this.#clock.now().getTime()
    const { actor } = request
    return actor
      ? this.#take(reply, this.#use('key', actor.key.id, now, amount))
      : this.#take(reply, this.#use('address', this.#networkOf(request.raw), now, amount))
  }

  /** Counts a failed authentication, such as a request with an invalid API key. */
  countFailure(request: FastifyRequest, reply: FastifyReply): AppError | undefined {
    const network = this.#networkOf(request.raw)
    return this.#take(reply, this.#use('authentication', network, this.#clock.now().getTime()))
  }

  /**
   * Adds a route's budgets to the response headers. Returns an error if the budget `responses` is spent. The other
   * budgets are checked where they are used.
   */
  #charge(reply: FastifyReply, account: string, charges?: readonly BudgetName[]): AppError | undefined {
    const refusal = this.#budgets.refusalOf('responses', account)
    if (refusal) return refusal
    const { names, described } = this.#chargedBy(charges)
    this.#addHeaders(reply, described, this.#budgets.describeRest(names, account, this.#clock.now().getTime()), true)
    return undefined
  }

  #chargedBy(charges = NO_CHARGES): { names: readonly BudgetName[]; described: string } {
    let charged = this.#charged.get(charges)
    if (charged === undefined) {
      const names = ['responses', ...charges] as const
      charged = { names, described: describeBudgets(names) }
      this.#charged.set(charges, charged)
    }
    return charged
  }

  /** Adds rate-limit headers. Set `isFurther` if the headers already contain other policies. */
  #addHeaders(reply: FastifyReply, described: string, standing: string, isFurther: boolean): void {
    reply.header('ratelimit-policy', isFurther ? `${reply.getHeader('ratelimit-policy')}, ${described}` : described)
    reply.header('ratelimit', isFurther ? `${reply.getHeader('ratelimit')}, ${standing}` : standing)
  }

  /**
   * Adds a quota's use to the headers, and returns the error if the request is refused. Set `isFurther` if the request
   * has already been counted toward another policy.
   */
  #take(
    reply: FastifyReply,
    { name, left, resetS, described, standing }: QuotaUse,
    isFurther = false,
  ): AppError | undefined {
    this.#addHeaders(reply, described, standing, isFurther)
    if (left >= 0) return undefined
    this.#refused.inc({ policy: name })
    return new AppError('rate_limited', {
      detail: `The quota "${name}" is used up. Try again in ${resetS} s.`,
      words: { key: 'problem.rate_limited_for', values: { seconds: resetS } },
      headers: { 'retry-after': String(resetS) },
    })
  }

  #use(name: string, subject: string, now: number, amount = 1): QuotaUse {
    const quota = this.#quotas[name]!
    const left = quota.take(subject, now, amount)
    const resetS = quota.resetS(now)
    return { name, left, resetS, described: quota.described, standing: `"${name}";r=${Math.max(left, 0)};t=${resetS}` }
  }
}
