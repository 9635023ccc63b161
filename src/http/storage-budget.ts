/** Limits the bytes that an account may write per day and per minute (decision 0075). */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Budgets } from '../lib/budgets.ts'
import type { AppError } from '../lib/errors.ts'
import type { Actor } from '../lib/scopes.ts'
import { countWritten } from '../lib/written.ts'

/**
 * Stored bytes per byte sent to the database, including indexes and the second copy of job texts. Measured values are
 * 1.1 to 1.9.
 */
const STORED_PER_SENT = 2
/**
 * Matches the paths of HTML forms that only remove something. Such forms send POST, because HTML forms cannot send
 * DELETE.
 */
const REMOVAL_PATH = /\/(?:delete|remove|revoke|unsave|erase|end|sign-out(?:-everywhere)?)$/

const BUDGETS = ['storage', 'storage-burst'] as const

/** Returns `rate_limited` if the account has spent its storage budget for the day or the minute, else undefined. */
export function refusalOfWrites(budgets: Budgets, account: string): AppError | undefined {
  return budgets.refusalOf('storage', account) ?? budgets.refusalOf('storage-burst', account)
}

/**
 * Checks and charges the storage budgets on the routes of this scope. Call this function after adding authentication.
 */
export function chargeStorage(app: FastifyInstance, budgets: Budgets): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const account = chargedAccountOf(request)
    const isExempt = request.method === 'DELETE' || REMOVAL_PATH.test(request.routeOptions.url ?? '')
    done(account === undefined || isExempt ? undefined : refusalOfWrites(budgets, account))
  })
  // Runs after the body is read, because reading the body loses the async context of earlier hooks.
  app.addHook('preHandler', (request, _reply, done) => {
    const account = chargedAccountOf(request)
    if (account === undefined) return done()
    let sent = 0
    let charged = 0
    // Charges immediately, because the client may disconnect before the response.
    const charge = (bytes: number) => {
      sent += bytes
      const kib = Math.ceil((sent * STORED_PER_SENT) / 1_024)
      for (const name of BUDGETS) budgets.charge(name, account, kib - charged)
      charged = kib
    }
    countWritten(charge, done)
  })
}

/**
 * Returns the account to charge for a request. Returns undefined for reads, for routes that only call operations, and
 * for visitors, admins and integrators.
 */
function chargedAccountOf(request: FastifyRequest): string | undefined {
  const actor = request.actor as Actor | null
  const isRead = request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS'
  const isForwarded = request.routeOptions.config.callsOperations
  if (isRead || isForwarded || !actor || actor.kind === 'admin' || actor.kind === 'integrator') return undefined
  return actor.accountId
}
