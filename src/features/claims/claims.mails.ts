/** Emails with the token that proves a claim. */
import type { Brand } from '../../lib/brand.ts'
import { t } from '../../locale/messages.ts'
import type { Message } from '../../mail/queue.ts'
import { SAMPLE_ID } from '../../mail/samples.ts'
import type { FeatureMails } from '../feature.ts'
import { emailToken } from './claims.proofs.ts'
import { findClaimById } from './claims.queries.ts'
import { CLAIM_DAYS } from './claims.service.ts'

export function claimMails(linkOf: (id: string) => string, brand: () => Brand, secret: Uint8Array): FeatureMails {
  const messageOf = (domain: string, employerId: string, token: string): Message => {
    const values = { domain, board: brand().name, days: CLAIM_DAYS }
    return {
      subject: t('claims.mail_subject', values),
      paragraphs: [t('claims.mail_text', values), t('claims.mail_validity', values)],
      link: { text: t('claims.mail_button'), url: `${linkOf(employerId)}?token=${token}` },
      neutral: { subject: t('claims.mail_subject', values), paragraph: t('claims.mail_neutral', values) },
      reason: t('claims.mail_reason'),
    }
  }
  return {
    async compose(tx, mail, now) {
      const claim = await findClaimById(tx, mail.subject_id)
      // Since the email was queued, the claim may have been replaced or verified, or may have expired.
      if (!claim || claim.verified_at !== null || claim.expires_at <= now) return undefined
      const message = messageOf(claim.domain, claim.employer_id, emailToken(secret, claim.id))
      return { to: String(mail.details.email), ...message }
    },
    samples: () => [{ message: messageOf('voltaire.example', SAMPLE_ID, SAMPLE_ID) }],
  }
}
