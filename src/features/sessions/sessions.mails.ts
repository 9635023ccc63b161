/** Emails about sign-in. A sign-in link is created only when its email is sent, so that the queue never stores it. */
import type { Brand } from '../../lib/brand.ts'
import type { MailComposer } from '../../mail/queue.ts'
import { findAccount, lockAccount } from '../accounts/index.ts'
import { LINK_MS, makeLink } from './sessions.service.ts'

export function signInMail(origin: string, brand: () => Brand): MailComposer {
  return async (tx, mail, now) => {
    // Locks the account, so that its email address cannot change while a link is created.
    const account = await lockAccount(tx, mail.account_id)
    if (!account?.email) return undefined
    const { return_to, reason } = mail.details
    const subject = `Your sign-in link for ${brand().name}`
    const once = `It works once, within ${LINK_MS / 60_000} minutes. If you did not request it, ignore this email.`
    const query = new URLSearchParams({ token: await makeLink(tx, account.id, now) })
    if (typeof return_to === 'string') query.set('return_to', return_to)
    const link = { text: 'Sign in', url: `${origin}/sign-in/link?${query}` }
    if (reason === 'registration') {
      const tried = 'Someone tried to register an account with your email address. You already have one.'
      return {
        to: account.email,
        subject: 'You already have an account',
        paragraphs: [tried, `Use this link to sign in as ${account.name} (${account.kind} account).`, once],
        neutral: {
          subject: 'You already have an account',
          paragraph: `${tried} Use this link to sign in to your ${account.kind} account. ${once}`,
        },
        link,
        reason: 'You get this because someone entered your email address on the registration page.',
      }
    }
    return {
      to: account.email,
      subject,
      paragraphs: [`Use this link to sign in as ${account.name} (${account.kind} account).`, once],
      neutral: {
        subject,
        paragraph: `Use this link to sign in to your ${account.kind} account. ${once}`,
      },
      link,
      reason: 'You get this because someone requested a sign-in link for your email address.',
    }
  }
}

/** Composes the notice to an account's previous email address, in case someone else changed the email address. */
export function addressChangedMail(origin: string, brand: () => Brand): MailComposer {
  return async (tx, mail) => {
    const account = await findAccount(tx, mail.account_id)
    const { address } = mail.details
    const where = `${brand().name} (${origin})`
    if (!account || typeof address !== 'string') return undefined
    return {
      to: address,
      subject: 'Your account has a new email address',
      paragraphs: [
        `The ${account.kind} account of ${account.name} at ${where} has a new email address. Emails and sign-in links now go to the new email address.`,
        'If you did not change it, someone else may have access to the account. Contact the operator of the board immediately.',
      ],
      neutral: {
        subject: 'An account has a new email address',
        paragraph: `An account at ${where} that used your email address now has a different email address.`,
      },
      reason: 'You get this once because the account used your email address until now.',
    }
  }
}
