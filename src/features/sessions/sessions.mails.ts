/** The mail with the link that signs in; the link is made when it is sent, so that it is stored nowhere. */
import type { MailComposer } from '../../mail/queue.ts'
import { findAccount } from '../accounts/index.ts'
import { LINK_MS, makeLink } from './sessions.service.ts'

export function signInMail(origin: string): MailComposer {
  return async (tx, mail, now) => {
    const account = await findAccount(tx, mail.account_id)
    if (!account) return undefined
    const { return_to } = mail.details
    const query = new URLSearchParams({ token: await makeLink(tx, account.id, now) })
    if (typeof return_to === 'string') query.set('return_to', return_to)
    return {
      subject: 'Your link to sign in',
      paragraphs: [
        `Somebody, most likely you, wants to sign in as ${account.name} (${account.kind} account).`,
        `The link can be used once, within ${LINK_MS / 60_000} minutes. If it was not you, leave it: without the link nobody gets in.`,
      ],
      link: { text: 'Sign in', url: `${origin}/sign-in/link?${query}` },
      reason: 'You get this because a link to sign in was asked for with your address.',
    }
  }
}
