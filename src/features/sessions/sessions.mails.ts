/** Emails about sign-in. A sign-in link is created only when its email is sent, so that the queue never stores it. */
import type { AccountKind } from '../../lib/api-keys.ts'
import type { Brand } from '../../lib/brand.ts'
import { t } from '../../locale/messages.ts'
import type { Message } from '../../mail/queue.ts'
import { SAMPLE_ID, samples } from '../../mail/samples.ts'
import { findAccount, lockAccount } from '../accounts/index.ts'
import type { FeatureMails } from '../feature.ts'
import { findMemberOf, LINK_MS, makeLink } from './sign-in.service.ts'

interface LinkOf {
  url: string
  /** Whether someone tried to register the recipient's email address again. */
  isKnown: boolean
}

export function signInMails(origin: string, brand: () => Brand): FeatureMails {
  // Names no account, because the recipient may choose among several.
  const messageOf = ({ url, isKnown }: LinkOf): Message => {
    const values = { minutes: LINK_MS / 60_000, board: brand().name }
    const subject = isKnown ? t('sessions.mail_known_subject') : t('sessions.mail_link_subject', values)
    const paragraph = isKnown ? t('sessions.mail_known_text', values) : t('sessions.mail_link_text', values)
    return {
      ...{ subject, paragraphs: [paragraph], neutral: { subject, paragraph } },
      link: { text: t('sessions.mail_link_button'), url },
      reason: isKnown ? t('sessions.mail_known_reason') : t('sessions.mail_link_reason'),
    }
  }
  return {
    async compose(tx, mail, now) {
      // Locks the account, so that its email address cannot change while a link is created.
      const account = await lockAccount(tx, mail.account_id)
      if (!account) return undefined
      const { return_to, reason, member_id } = mail.details
      const memberId = typeof member_id === 'string' ? member_id : null
      const member = await findMemberOf(tx, account, memberId)
      const to = memberId !== null || account.kind === 'employer' ? member?.email : account.email
      if (!to) return undefined
      const entrance = { accountId: account.id, memberId: member?.id ?? null }
      const query = new URLSearchParams({ token: await makeLink(tx, entrance, now) })
      if (typeof return_to === 'string') query.set('return_to', return_to)
      const url = `${origin}/sign-in/link?${query}`
      return { to, ...messageOf({ url, isKnown: reason === 'registration' }) }
    },
    samples() {
      const url = `${origin}/sign-in/link?token=${SAMPLE_ID}`
      return [
        { message: messageOf({ url, isKnown: false }) },
        { name: t('sessions.mail_known_subject'), message: messageOf({ url, isKnown: true }) },
      ]
    },
  }
}

/** Returns the emails that notify an account's previous email address of a change, in case someone else made it. */
export function addressChangedMails(origin: string, brand: () => Brand): FeatureMails {
  const messageOf = ({ name, kind }: { name: string; kind: AccountKind }): Message => {
    const account = t('sessions.account_of_kind', { kind })
    const values = { name, account, board: brand().name, origin }
    return {
      subject: t('sessions.mail_changed_subject'),
      paragraphs: [t('sessions.mail_changed_text', values), t('sessions.mail_changed_warning')],
      neutral: {
        subject: t('sessions.mail_changed_neutral_subject'),
        paragraph: t('sessions.mail_changed_neutral', values),
      },
      reason: t('sessions.mail_changed_reason'),
    }
  }
  return {
    async compose(tx, mail) {
      const account = await findAccount(tx, mail.account_id)
      const { address } = mail.details
      return account && typeof address === 'string' ? { to: address, ...messageOf(account) } : undefined
    },
    samples: () => [{ message: messageOf({ name: samples().person, kind: 'candidate' }) }],
  }
}
