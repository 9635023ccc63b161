import { type Static, Type } from 'typebox'
import { Choice, Moment, Nullable, Resource, Strict, Timestamp } from '../../lib/schema.ts'
import { parameter } from '../../lists/parameters.ts'
import type { ListDeclaration } from '../../lists/query.ts'

const emailStates = ['pending', 'sent', 'dropped', 'failed', 'unknown'] as const
/** States of emails that operators can send again. */
export const resendable = ['sent', 'failed', 'unknown'] as const

export const EmailSchema = Resource('Email', {
  id: Type.String(),
  kind: Type.String({ description: 'Kind of email, such as job-alert or sign-in.' }),
  account_id: Type.String({ description: "ID of the recipient's account." }),
  to: Nullable(
    Type.String({
      description:
        "The email address of the latest attempt, in lowercase. Before the first attempt: the recipient's current email address.",
    }),
  ),
  subject_id: Type.String({ description: 'ID of the resource that the email is about.' }),
  state: Choice(
    emailStates,
    'dropped: the email was not sent; see `error`. unknown: the connection broke, but the mail server may have accepted the email.',
  ),
  attempts: Type.Integer({ minimum: 0 }),
  error: Nullable(
    Type.String({
      description:
        'Why the latest attempt failed. If the email was dropped: not_needed (nothing left to report, or the recipient opted out), no_address, stopped (the recipient stopped all emails), blocked, or unconfirmed_limit.',
    }),
  ),
  created_at: Timestamp(),
  due_at: Timestamp('When the next attempt is due, if the email is pending.'),
  settled_at: Nullable(Timestamp('When the email left the pending state.')),
  repeats: Nullable(Type.String({ description: 'ID of the sent email that this one repeats.' })),
})
export type Email = Static<typeof EmailSchema>

export const RetryEmailsBody = Strict({
  since: Type.Optional(Moment('Only emails created at or after this time.')),
})

export const EmailsRetriedSchema = Strict({ retried: Type.Integer({ minimum: 0 }) })

export const emailList = {
  name: 'emails',
  filters: {
    to: parameter.text("Prefix of the recipient's email address.", { suffixes: [], maxLength: 320 }),
    state: parameter.choice('failed: every attempt failed. unknown: the email may have arrived.', emailStates),
    kind: parameter.text('Kind of email, such as job-alert.', { suffixes: [] }),
    account_id: parameter.text("ID of the recipient's account.", { suffixes: [] }),
    created_at: parameter.time('When the email was queued.'),
  },
  sorts: { created_at: {} },
  defaultSort: [{ field: 'created_at', direction: 'desc' }],
} as const satisfies ListDeclaration
