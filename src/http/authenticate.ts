/**
 * Authenticates and authorizes requests. Each route must declare its `access`; otherwise, startup fails. All checks
 * except reauthentication run before the body is read.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type AccountKind, accountKinds, keyKindPrefixes } from '../lib/api-keys.ts'
import { narrowKeyRefusal } from '../lib/dangerous-acts.ts'
import { AppError, type ErrorCode, invalidKey } from '../lib/errors.ts'
import { type Actor, includesRole, type MemberRole, roleFor, type Scope, type StaffRole } from '../lib/scopes.ts'
import { formatList } from '../locale/formats.ts'
import { t } from '../locale/messages.ts'
import { admitOrigin } from './cors.ts'
import { ROUTED_METHODS } from './methods.ts'
import type { RateLimiter } from './rate-limit.ts'

/** The callers that may use a route. */
export type Access =
  /** Requires no API key, and ignores any key that is sent, except a publishable key on routes that take one. */
  | 'public'
  /** Requires no API key while registration is open. If a key is sent, it must be valid. */
  | 'registration'
  | KeyAccess

interface KeyAccess {
  /**
   * The account kinds that may call the route. Absent: all kinds. The first kind determines the error that callers of
   * other kinds get.
   */
  kinds?: readonly [AccountKind, ...AccountKind[]]
  /** The required scope. Absent: any key of these account kinds. */
  scope?: Scope | Readonly<Partial<Record<AccountKind, Scope>>>
  /** The lowest role of an employer's members that may call the route. Absent: `roleFor` derives it from the scope. */
  role?: Exclude<MemberRole, StaffRole>
  /** The lowest role of the board's staff that may call the route. Absent: `roleFor` derives it from the scope. */
  staff?: StaffRole
}

/**
 * A requirement in addition to account kind and scope. `whole-key` also requires a fresh sign-in. Only sessions can
 * lack a fresh sign-in, so no API route has the requirement `fresh-sign-in`.
 */
export type Needs = 'whole-key' | 'fresh-sign-in'

const PUBLISHABLE = `jm_${keyKindPrefixes.publishable}_`

/** The callers that may register accounts while registration is closed. */
const registrars: KeyAccess = { kinds: ['admin', 'integrator'], scope: 'profile:write' }

/**
 * Returns the account kinds that may call a route, each with the scope that its keys need, or null for any key. For
 * `registration`, returns the callers that are allowed while registration is closed.
 */
export function callersOf(access: Exclude<Access, 'public'>): Partial<Record<AccountKind, Scope | null>> {
  const declared = keyAccessOf(access)
  return Object.fromEntries((declared.kinds ?? accountKinds).map((kind) => [kind, scopeFor(declared, kind) ?? null]))
}

const keyAccessOf = (access: Exclude<Access, 'public'>): KeyAccess => (access === 'registration' ? registrars : access)

const scopeFor = ({ scope }: KeyAccess, kind: AccountKind): Scope | undefined =>
  typeof scope === 'object' ? scope[kind] : scope

const roleIn = (access: KeyAccess, kind: AccountKind): MemberRole =>
  (kind === 'admin' ? access.staff : access.role) ?? roleFor(kind, scopeFor(access, kind))

/** Returns the lowest role that may call a route, for each account kind that has members and may call the route. */
export function rolesOf(access: Exclude<Access, 'public'>): Partial<Record<AccountKind, MemberRole>> {
  const declared = keyAccessOf(access)
  const kinds = (['employer', 'admin'] as const).filter((kind) => declared.kinds?.includes(kind) ?? true)
  return Object.fromEntries(kinds.map((kind) => [kind, roleIn(declared, kind)]))
}

/** The parts of a request that select the resource: its caller and its path parameters. */
export interface ResourceRequest<Params = { id: string }> {
  actor: Actor
  params: Params
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /**
     * Marks a dangerous action. With `whole-key`, keys with limited permissions or an expiry date get 403
     * `insufficient_scope`. On pages, users whose sign-in is not fresh must sign in again (decision 0064).
     * `test/meta/ownership.test.ts` and `test/meta/pages.test.ts` list all dangerous actions.
     */
    needs?: Needs
    /**
     * Whether the route accepts publishable keys. `test/meta/ownership.test.ts` lists these operations, except those
     * that need no key.
     */
    takesPublishable?: true
    /**
     * Throws if the resource in the path does not exist or does not belong to the caller. Runs before an invalid body
     * is reported, and before the path parameters are validated.
     */
    guard?: (request: ResourceRequest<never>) => Promise<unknown>
  }
  interface FastifyRequest {
    /** The authenticated caller. Null if the request was admitted without an API key or a session. */
    actor: Actor
    /** When the request was authenticated, in milliseconds of the monotonic clock. */
    authenticatedAt: number
  }
}

/**
 * Age of an authentication, in milliseconds, after which a request is authenticated again. The key or session may have
 * become invalid while the body arrived slowly.
 */
const AUTHENTICATED_MS = 1_000

/** Returns whether a request must be authenticated again before it takes effect. */
export const isAuthenticationOld = ({ actor, authenticatedAt }: FastifyRequest): boolean =>
  Boolean(actor) && performance.now() - authenticatedAt >= AUTHENTICATED_MS

/**
 * Returns the actor of an API key, or undefined if the key is not valid; synchronously if the key was looked up
 * recently. Throws `account_suspended` if the account is suspended.
 */
export type FindActor = (key: string) => Actor | undefined | Promise<Actor | undefined>

/** Returns the API key in an Authorization header, or undefined. */
export const keyIn = (authorization: string): string | undefined =>
  /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1]

const kindErrors: Record<AccountKind, ErrorCode> = {
  candidate: 'candidate_account_required',
  employer: 'employer_account_required',
  admin: 'admin_account_required',
  integrator: 'admin_account_required',
}

export const isSuspension = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'account_suspended'

/** Returns the 401 error for a request whose API key is missing or invalid. */
export function unauthorized(keyWasSent: boolean): AppError {
  if (keyWasSent) {
    return invalidKey(
      'The Authorization header contains no valid API key. The key may be mistyped, expired or revoked, or the scheme may not be Bearer.',
    )
  }
  return new AppError('unauthorized', {
    detail: 'Send an API key in the header: Authorization: Bearer <API_KEY>.',
    headers: { 'www-authenticate': 'Bearer' },
  })
}

/** Adds authentication and rate limits to every route of this scope, including the handler for unknown paths. */
export function requireAccess(
  app: FastifyInstance,
  findActor: FindActor,
  isRegistrationOpen: () => boolean,
  limiter: RateLimiter | undefined,
): void {
  app.decorateRequest('actor', null as unknown as Actor)
  app.decorateRequest('authenticatedAt', 0)

  app.addHook('onRoute', (route) => {
    if (route.config?.access === undefined) {
      throw new Error(`${[route.method].flat().join(',')} ${route.url} does not declare its access`)
    }
  })

  // Creates a promise only to look up a key. Each promise makes a cached response a tenth more expensive.
  app.addHook('onRequest', (request, reply, done) => {
    // The handler for unknown paths has no configuration, so it requires a key.
    const { config } = request.routeOptions
    const { access = {} } = config
    const { authorization } = request.headers
    const key = authorization === undefined ? undefined : keyIn(authorization)
    const isIgnored = access === 'public' && !(config.takesPublishable && key?.startsWith(PUBLISHABLE))
    if (isIgnored || authorization === undefined) {
      const isOpen = access === 'public' || (access === 'registration' && isRegistrationOpen())
      return done(limiter?.countAddress(request, reply, config) ?? (isOpen ? undefined : unauthorized(false)))
    }
    const admit = (actor: Actor | undefined) => {
      if (!actor) return done(limiter?.countFailure(request, reply) ?? unauthorized(true))
      request.actor = actor
      request.authenticatedAt = performance.now()
      const { publishable } = actor.key
      const otherOrigin = publishable && admitOrigin(request, reply, publishable.origins)
      done(
        limiter?.countKey(request, reply, actor, config) ??
          otherOrigin ??
          // For an unknown path, every valid key gets a 404.
          (request.is404 ? undefined : refusalOf(config, actor, isRegistrationOpen)),
      )
    }
    const found = key === undefined ? undefined : findActor(key)
    // Each request with a suspended account's key requires a lookup, so it counts toward the limit for invalid keys.
    const fail = (error: Error) => done((isSuspension(error) && limiter?.countFailure(request, reply)) || error)
    if (found instanceof Promise) found.then(admit, fail)
    else admit(found)
  })

  // Reauthenticates before the handler runs, because a slow client may have taken a long time to send the body.
  app.addHook('preValidation', (request, _reply, done) => {
    if (!isAuthenticationOld(request)) return done()
    const readmit = (actor: Actor | undefined) => {
      if (!actor) return done(unauthorized(true))
      request.actor = actor
      done(refusalOf(request.routeOptions.config, actor, isRegistrationOpen))
    }
    const found = findActor(keyIn(request.headers.authorization!)!)
    if (found instanceof Promise) found.then(readmit, done)
    else readmit(found)
  })
}

/** The parts of a route's configuration that determine who may call it. */
interface Guarded {
  access?: Access | undefined
  needs?: Needs | undefined
  takesPublishable?: true | undefined
}

/** Returns the error if an actor may not call a route, otherwise undefined. */
export function refusalOf(
  { access = {}, needs, takesPublishable }: Guarded,
  actor: Actor,
  isRegistrationOpen: () => boolean,
): AppError | undefined {
  if (actor.key.publishable && !takesPublishable) {
    return new AppError('publishable_key', { detail: 'This request needs a secret key.' })
  }
  if (access === 'public') return undefined
  if (access === 'registration' && isRegistrationOpen()) return undefined
  const declared = keyAccessOf(access)
  const { kinds } = declared
  if (kinds && !kinds.includes(actor.kind)) return wrongKind(kinds)
  const scope = scopeFor(declared, actor.kind)
  return (
    (actor.member && missingRole(roleIn(declared, actor.kind), actor.member.role)) ||
    (scope && missingScope(scope, actor)) ||
    (needs === 'whole-key' ? narrowKeyRefusal(actor) : undefined)
  )
}

/** Returns the error for callers of other kinds. Its title names only the first kind, so the detail names them all. */
function wrongKind(kinds: readonly [AccountKind, ...AccountKind[]]): AppError {
  const allButLast = kinds.slice(0, -1).join(', ')
  const listed = allButLast === '' ? kinds[0] : `${allButLast} and ${kinds.at(-1)}`
  const words = () => t('problem.kinds', { kinds: formatList(kinds.map((kind) => t(`shared.kind_${kind}`))) })
  return new AppError(kindErrors[kinds[0]], {
    detail: `Only ${listed} accounts may do this.`,
    ...(kinds.length > 1 && { words }),
  })
}

function missingRole(required: MemberRole, role: MemberRole): AppError | undefined {
  if (includesRole(role, required)) return undefined
  return new AppError('insufficient_role', {
    detail: `Members with the role ${role} may not do this. It requires the role ${required}.`,
    words: { key: 'problem.role', values: { role: required } },
    extra: { required_role: required },
  })
}

function missingScope(scope: Scope, actor: Actor): AppError | undefined {
  if (actor.scopes.includes(scope)) return undefined
  return new AppError('insufficient_scope', {
    detail: `The API key lacks the scope ${scope}.`,
    extra: { required_scope: scope },
  })
}

/**
 * Responds 405 with `Allow` to unsupported methods on the paths of this scope. Call this function after registering the
 * last route.
 */
export function refuseOtherMethods(app: FastifyInstance, known: ReadonlyMap<string, ReadonlySet<string>>): void {
  for (const [url, allowed] of known) {
    const allow = ROUTED_METHODS.filter((method) => allowed.has(method)).join(', ')
    app.route({
      method: ROUTED_METHODS.filter((method) => !allowed.has(method)),
      url,
      config: { access: {}, takesPublishable: true, produces: 'anything' },
      schema: { hide: true },
      // Runs before the body is read, because the content of the body is irrelevant.
      onRequest: async (request) => {
        throw new AppError('method_not_allowed', {
          detail: `${request.method} is not allowed. Use ${allow}.`,
          headers: { allow },
        })
      },
      handler: async () => undefined,
    })
  }
}
