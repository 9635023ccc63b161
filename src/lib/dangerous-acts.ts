/**
 * Dangerous acts end an account or somebody's way into it: erasing, deleting keys, ending sessions, moving the email address.
 * Routes declare them with `needs: 'whole-key'` (decision 0064).
 */
import { AppError } from './errors.ts'
import { type Actor, isWhole } from './scopes.ts'

/** A sign-in counts as fresh for 15 minutes, the life of a sign-in link: a cookie stolen later does no lasting harm. */
export const FRESH_SIGN_IN_MS = 15 * 60_000

/** Returns the 403 of an actor whose key may do less than its account. */
export function narrowKeyRefusal(actor: Actor): AppError | undefined {
  if (isWhole(actor)) return undefined
  return new AppError('insufficient_scope', {
    detail: 'This needs a key with every scope of the account and no expiry date. Use such a key instead.',
  })
}

/** Returns the 403 of a session whose sign-in is too old; a key in a request is always fresh. */
export function staleSignInRefusal({ session }: Actor, now: Date): AppError | undefined {
  if (!session || now.getTime() - session.startedAt.getTime() < FRESH_SIGN_IN_MS) return undefined
  return new AppError('fresh_sign_in_required', {
    detail: `You signed in more than ${FRESH_SIGN_IN_MS / 60_000} minutes ago. Sign in again to do this.`,
  })
}

/** Returns why an actor may not do a dangerous act, or undefined. */
export const dangerousActRefusal = (actor: Actor, now: Date): AppError | undefined =>
  narrowKeyRefusal(actor) ?? staleSignInRefusal(actor, now)
