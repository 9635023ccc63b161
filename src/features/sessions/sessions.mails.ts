/** The mail with the link that signs in; the link is made when it is sent, so that it is stored nowhere. */
import type { MailComposer } from '../../mail/queue.ts'
import { findAccount, lockAccount } from '../accounts/index.ts'
import { LINK_MS, makeLink } from './sessions.service.ts'

export function signInMail(origin: string): MailComposer {
  return async (tx, mail, now) => {
    // Locked: the link goes to the address that it is for, and ends when that is changed.
    const account = await lockAccount(tx, mail.account_id)
    if (!account?.email) return undefined
    const { return_to } = mail.details
    const query = new URLSearchParams({ token: await makeLink(tx, account.id, now) })
    if (typeof return_to === 'string') query.set('return_to', return_to)
    return {
      to: account.email,
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

/** Tells the address that an account had that it has another one now: its reader may not have wanted that. */
export function addressChangedMail(origin: string): MailComposer {
  return async (tx, mail) => {
    const account = await findAccount(tx, mail.account_id)
    const { address } = mail.details
    if (!account || typeof address !== 'string') return undefined
    return {
      to: address,
      subject: 'Your account has another e-mail address now',
      paragraphs: [
        `The account of ${account.name} (${account.kind}) at ${origin} has another e-mail address now. Mails go there, and so do links to sign in.`,
        'If you did not want that, somebody else can get into the account: tell whoever runs this board at once.',
      ],
      reason: 'You get this once, as the account had your address until now.',
    }
  }
}
