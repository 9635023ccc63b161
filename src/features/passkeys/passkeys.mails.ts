/** The notice about a new passkey, in case someone else added it. */
import type { Brand } from '../../lib/brand.ts'
import { t } from '../../locale/messages.ts'
import type { Message } from '../../mail/queue.ts'
import { samples } from '../../mail/samples.ts'
import { findAccount } from '../accounts/index.ts'
import type { FeatureMails } from '../feature.ts'

export function passkeyAddedMails(origin: string, brand: () => Brand): FeatureMails {
  const messageOf = (account: string, passkey: string): Message => {
    const values = { account, passkey, board: brand().name }
    return {
      subject: t('passkeys.mail_subject', values),
      paragraphs: [t('passkeys.mail_text', values), t('passkeys.mail_warning')],
      link: { text: t('passkeys.mail_button'), url: `${origin}/account/passkeys` },
      neutral: { subject: t('passkeys.mail_subject', values), paragraph: t('passkeys.mail_neutral', values) },
      reason: t('passkeys.mail_reason', values),
    }
  }
  return {
    async compose(tx, mail) {
      const account = await findAccount(tx, mail.account_id)
      const { address, passkey } = mail.details
      if (!account || typeof address !== 'string') return undefined
      return { to: address, ...messageOf(account.name, String(passkey)) }
    },
    samples: () => [{ message: messageOf(samples().person, t('passkeys.name_example')) }],
  }
}
