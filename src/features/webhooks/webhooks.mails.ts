/**
 * Emails about failing and disabled webhooks, to their accounts and the team members who manage webhooks. Recipients
 * cannot opt out.
 */
import type { Tx } from '../../db/database.ts'
import { DAY_MS } from '../../lib/time.ts'
import { formatMoment } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
import { type Message, type NewMail, queueMails, replaceMail } from '../../mail/queue.ts'
import { SAMPLE_ID } from '../../mail/samples.ts'
import type { FeatureMails } from '../feature.ts'
import { listRecipients } from '../teams/teams.sql.ts'
import { markFailing } from './webhooks.dispatch-queries.ts'
import { findWebhook, type WebhookRow } from './webhooks.queries.ts'
import { HOUR_MS } from './webhooks.schedule.ts'

/** How long a webhook must have been failing before its owner gets an email, in milliseconds. */
const FAILING_MS = HOUR_MS
/** Minimum time between emails about one webhook that keeps recovering and failing, in milliseconds. */
const FAILING_PAUSE_MS = DAY_MS

type Owned = Pick<WebhookRow, 'id' | 'owner_id'>

/**
 * Queues emails about up to `limit` active webhooks that have been failing for an hour, once per series of failures.
 * Returns the number of webhooks.
 */
export async function queueFailingMails(tx: Tx, now: Date, limit: number): Promise<number> {
  const failing = await markFailing(tx, new Date(now.getTime() - FAILING_MS), limit)
  for (const { webhook, ...recipient } of await listWebhookRecipients(tx, failing)) {
    const details = { failing_since: webhook.first_failure_at.toISOString() }
    const mail: NewMail = { kind: 'webhook-failing', ...recipient, subjectId: webhook.id, details, at: now }
    await replaceMail(tx, mail, FAILING_PAUSE_MS)
  }
  return failing.length
}

export async function queueDisabledMails(tx: Tx, disabled: readonly Owned[], now: Date): Promise<void> {
  if (disabled.length === 0) return
  const mails = (await listWebhookRecipients(tx, disabled)).map(
    ({ webhook, ...recipient }): NewMail => ({
      kind: 'webhook-disabled',
      ...recipient,
      subjectId: webhook.id,
      at: now,
    }),
  )
  return queueMails(tx, mails)
}

/** Returns each recipient of emails about these webhooks, with the webhook. */
async function listWebhookRecipients<W extends Owned>(tx: Tx, webhooks: readonly W[]) {
  const owners = [...new Set(webhooks.map(({ owner_id }) => owner_id))]
  const recipients = Map.groupBy(await listRecipients(tx, owners, 'owner', 'admin'), ({ accountId }) => accountId)
  return webhooks.flatMap((webhook) => (recipients.get(webhook.owner_id) ?? []).map((each) => ({ ...each, webhook })))
}

export function webhookFailingMails(urlOf: (webhookId: string) => string): FeatureMails {
  const messageOf = (webhook: { url: string; since: string }, url: string): Message => ({
    subject: t('webhooks.mail_failing_subject', { host: new URL(webhook.url).host }),
    paragraphs: [
      t('webhooks.mail_failing_text', { time: formatMoment(webhook.since) }),
      t('webhooks.mail_failing_next'),
    ],
    facts: [[t('webhooks.url'), webhook.url]],
    neutral: { subject: t('webhooks.mail_failing_neutral_subject'), paragraph: t('webhooks.mail_failing_neutral') },
    link: { text: t('webhooks.mail_button'), url },
    reason: t('webhooks.mail_failing_reason'),
  })
  return {
    async compose(reader, { account_id, subject_id, details }) {
      const webhook = await findWebhook(reader, account_id, subject_id)
      const since = webhook?.status === 'active' ? webhook.first_failure_at?.toISOString() : undefined
      // A delivery may have succeeded since the email was queued.
      if (since === undefined || since !== details.failing_since) return undefined
      return messageOf({ url: webhook!.url, since }, urlOf(subject_id))
    },
    samples: () => [{ message: messageOf({ url: SAMPLE_URL, since: '2026-03-02T09:15:00.000Z' }, urlOf(SAMPLE_ID)) }],
  }
}

export function webhookDisabledMails(urlOf: (webhookId: string) => string): FeatureMails {
  const messageOf = (webhook: { url: string; reason: DisabledReason }, url: string): Message => ({
    subject: t('webhooks.mail_disabled_subject', { host: new URL(webhook.url).host }),
    paragraphs: [
      t('webhooks.mail_disabled_text'),
      t(`webhooks.reason_${webhook.reason}`),
      t('webhooks.mail_disabled_next'),
    ],
    facts: [[t('webhooks.url'), webhook.url]],
    neutral: { subject: t('webhooks.mail_disabled_neutral_subject'), paragraph: t('webhooks.mail_disabled_neutral') },
    link: { text: t('webhooks.mail_button'), url },
    reason: t('webhooks.mail_disabled_reason'),
  })
  return {
    async compose(reader, { account_id, subject_id }) {
      const webhook = await findWebhook(reader, account_id, subject_id)
      // The owner may have resumed the webhook since the email was queued.
      if (webhook?.status !== 'disabled' || webhook.disabled_reason === null) return undefined
      return messageOf({ url: webhook.url, reason: webhook.disabled_reason }, urlOf(subject_id))
    },
    samples: () =>
      (['failing', 'gone', 'key_revoked'] as const).map((reason) => ({
        name: t(`webhooks.mail_sample_${reason}`),
        message: messageOf({ url: SAMPLE_URL, reason }, urlOf(SAMPLE_ID)),
      })),
  }
}

type DisabledReason = NonNullable<WebhookRow['disabled_reason']>

const SAMPLE_URL = 'https://hooks.northgear.example/jobs'
