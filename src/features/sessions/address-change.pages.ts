import { dangerousActRefusal } from '../../lib/dangerous-acts.ts'
import { validationFailed } from '../../lib/errors.ts'
import type { Actor } from '../../lib/scopes.ts'
import { problemInWords } from '../../pages/fault-words.ts'
import { fieldFault } from '../../pages/forms.ts'
import type { Mover } from './sessions.service.ts'

/** Returns whether a person may change the email address in a form, and the session that survives the change. */
export function moverOnPage(actor: Actor, now: Date): Mover {
  const refusal = dangerousActRefusal(actor, now)
  // Reported as a field fault, because a redirect to the sign-in page would lose the input.
  const isStale = refusal?.code === 'fresh_sign_in_required'
  return {
    refusal: isStale ? validationFailed([fieldFault('email', problemInWords(refusal))]) : refusal,
    sessionId: actor.session?.id,
  }
}
