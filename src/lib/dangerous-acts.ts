/**
 * Dangerous actions delete an account or change who has access to it. Examples are deleting keys, ending sessions, and
 * changing the email address. Routes declare dangerous actions with `needs: 'whole-key'` (decision 0064).
 */
import { AppError } from './errors.ts'
import { type Actor, isWhole } from './scopes.ts'

/**
 * How long a sign-in counts as fresh: 15 minutes, the lifetime of a sign-in link. After that, a thief cannot do lasting
 * harm with the session cookie.
 */
const FRESH_SIGN_IN_MS = 15 * 60_000

/**
 * Returns the 403 error for an actor whose key has fewer permissions than its account or member, or has an expiry date;
 * otherwise undefined.
 */
export function narrowKeyRefusal(actor: Actor): AppError | undefined {
  if (isWhole(actor)) return undefined
  return new AppError('insufficient_scope', {
    detail: 'This action requires an API key with every scope of the account and no expiry date.',
    words: { key: 'problem.whole_key' },
  })
}

/**
 * Returns the 403 error for a session whose sign-in is too old; otherwise undefined. Requests with a key count as
 * fresh.
 */
export function staleSignInRefusal({ session }: Actor, now: Date): AppError | undefined {
  if (!session || now.getTime() - session.startedAt.getTime() < FRESH_SIGN_IN_MS) return undefined
  return new AppError('fresh_sign_in_required', {
    detail: `You signed in more than ${FRESH_SIGN_IN_MS / 60_000} minutes ago. Sign in again to do this.`,
    words: { key: 'problem.stale_sign_in', values: { minutes: FRESH_SIGN_IN_MS / 60_000 } },
  })
}

/** Returns the error if an actor may not perform a dangerous action; otherwise undefined. */
export const dangerousActRefusal = (actor: Actor, now: Date): AppError | undefined =>
  narrowKeyRefusal(actor) ?? staleSignInRefusal(actor, now)
