/** Invitations by email. */

import type { AccountKind } from '../../lib/api-keys.ts'
import type { Brand } from '../../lib/brand.ts'
import { t } from '../../locale/messages.ts'
import type { Message } from '../../mail/queue.ts'
import { SAMPLE_ID, samples } from '../../mail/samples.ts'
import { findAccount } from '../accounts/index.ts'
import type { FeatureMails } from '../feature.ts'
import { findMember } from './teams.queries.ts'
import { INVITATION_DAYS, invitationToken } from './teams.service.ts'

export function invitationMails(origin: string, brand: () => Brand, secret: Uint8Array): FeatureMails {
  const messageOf = ({ kind, name }: { kind: AccountKind; name: string }, token: string): Message => {
    const values = { kind, company: name, board: brand().name, days: INVITATION_DAYS }
    const subject = t('teams.mail_subject', values)
    return {
      subject,
      paragraphs: [t('teams.mail_text', values), t('teams.mail_validity', values)],
      link: { text: t('teams.mail_button'), url: `${origin}/invitation?token=${token}` },
      neutral: { subject: t('teams.mail_neutral_subject', values), paragraph: t('teams.mail_neutral', values) },
      reason: t('teams.mail_reason'),
    }
  }
  return {
    async compose(tx, mail) {
      const account = await findAccount(tx, mail.account_id)
      const member = await findMember(tx, mail.account_id, mail.subject_id)
      // The invitation may have been used, withdrawn or replaced.
      if (!account || !member?.invitation || member.invitation !== mail.details.invitation) return undefined
      return { to: member.email, ...messageOf(account, invitationToken(secret, member)) }
    },
    samples: () => [{ message: messageOf({ kind: 'employer', name: samples().jobs[0].company }, SAMPLE_ID) }],
  }
}
