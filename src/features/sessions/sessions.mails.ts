/**
 * Emails about sign-in. A sign-in link is created only when its email is sent. The queue therefore never contains it.
 */
import type { Brand } from '../../lib/brand.ts'
import { t } from '../../locale/messages.ts'
import type { MailComposer } from '../../mail/queue.ts'
import { findAccount, lockAccount } from '../accounts/index.ts'
import { LINK_MS, makeLink } from './sessions.service.ts'

export function signInMail(origin: string, brand: () => Brand): MailComposer {
  return async (tx, mail, now) => {
    // Locks the account, because its email address must not change while a link is being created.
    const account = await lockAccount(tx, mail.account_id)
    if (!account?.email) return undefined
    const { return_to, reason } = mail.details
    const values = {
      ...{ name: account.name, account: t('sessions.account_of_kind', { kind: account.kind }) },
      ...{ minutes: LINK_MS / 60_000, board: brand().name },
    }
    const paragraphs = [t('sessions.mail_link_use', values), t('sessions.mail_link_once', values)]
    const query = new URLSearchParams({ token: await makeLink(tx, account.id, now) })
    if (typeof return_to === 'string') query.set('return_to', return_to)
    const link = { text: t('sessions.mail_link_button'), url: `${origin}/sign-in/link?${query}` }
    if (reason === 'registration') {
      const subject = t('sessions.mail_known_subject')
      return {
        ...{ to: account.email, subject, link },
        paragraphs: [t('sessions.mail_known_tried'), ...paragraphs],
        neutral: { subject, paragraph: t('sessions.mail_known_neutral', values) },
        reason: t('sessions.mail_known_reason'),
      }
    }
    const subject = t('sessions.mail_link_subject', values)
    return {
      ...{ to: account.email, subject, link, paragraphs },
      neutral: { subject, paragraph: t('sessions.mail_link_neutral', values) },
      reason: t('sessions.mail_link_reason'),
    }
  }
}

/** Composes a notice to an account's previous email address, in case someone else changed the address. */
export function addressChangedMail(origin: string, brand: () => Brand): MailComposer {
  return async (tx, mail) => {
    const account = await findAccount(tx, mail.account_id)
    const { address } = mail.details
    if (!account || typeof address !== 'string') return undefined
    const values = {
      ...{ name: account.name, account: t('sessions.account_of_kind', { kind: account.kind }) },
      ...{ board: brand().name, origin },
    }
    return {
      to: address,
      subject: t('sessions.mail_changed_subject'),
      paragraphs: [t('sessions.mail_changed_text', values), t('sessions.mail_changed_warning')],
      neutral: {
        subject: t('sessions.mail_changed_neutral_subject'),
        paragraph: t('sessions.mail_changed_neutral', values),
      },
      reason: t('sessions.mail_changed_reason'),
    }
  }
}
