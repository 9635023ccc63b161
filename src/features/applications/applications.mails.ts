/**
 * Emails about applications. Candidates get confirmations and status changes, employers get new applications and
 * withdrawals, and both get messages.
 */
import { sql } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import { statement } from '../../db/statement.ts'
import { t } from '../../locale/messages.ts'
import {
  lastSentDetail,
  type MailFeature,
  type QueuedMail,
  replaceMail,
  SETTLED_KEPT_MS,
  type Unsubscription,
} from '../../mail/queue.ts'
import { SAMPLE_ID, samples } from '../../mail/samples.ts'
import { isCandidate, joinCandidate, stopStatusMails } from '../candidates/index.ts'
import { isEmployerAccount, joinEmployer, stopApplicationMails } from '../employers/index.ts'
import { joinJob } from '../jobs/index.ts'
import { isMember, setMailPreference, wantsApplicationMails } from '../teams/teams.sql.ts'
import { statusName } from './applications.present.ts'
import { type ApplicationStatus, applicationStatuses } from './applications.schemas.ts'
import type { Side } from './messages.schemas.ts'
import { fillIn } from './placeholders.ts'

/** Minimum time in milliseconds between status emails about one application, and between a rejection and its email. */
const STATUS_PAUSE_MS = 10 * 60_000

interface StatusMail {
  applicationId: string
  candidateId: string
  /** The status, and the position of its change in the application's history. */
  details: { status: ApplicationStatus; position: number }
  at: Date
}

/**
 * Queues a status email, which replaces a pending status email about the same application. The email is sent at least
 * ten minutes after the previous one. Moving an application back and forth within ten minutes therefore causes at most
 * two emails. The email about a rejection waits ten minutes, so that the employer can undo the rejection.
 */
export async function queueStatusMail(tx: Tx, { applicationId, candidateId, details, at }: StatusMail): Promise<void> {
  const dueAt = details.status === 'rejected' ? new Date(at.getTime() + STATUS_PAUSE_MS) : at
  const mail = { accountId: candidateId, subjectId: applicationId, details: { ...details }, at, dueAt }
  await replaceMail(tx, { kind: 'application-status', ...mail }, STATUS_PAUSE_MS)
}

const candidateUnsubscription: Unsubscription = {
  describe: async (reader, id) => ((await isCandidate(reader, id)) ? t('unsubscribe.of_applications') : undefined),
  unsubscribe: stopStatusMails,
}
/**
 * A member's unsubscribe link contains the member's ID, so unsubscribing does not affect the employer's other
 * recipients.
 */
const employerUnsubscription: Unsubscription = {
  describe: async (reader, id) =>
    (await isEmployerAccount(reader, id)) || (await isMember(reader, id)) ? t('unsubscribe.of_received') : undefined,
  async unsubscribe(tx, id, now) {
    await stopApplicationMails(tx, id, now)
    await setMailPreference(tx, id, false)
  },
}
const recipientOf = ({ account_id, member_id }: QueuedMail) => member_id ?? account_id
/** Matches if the recipient at the employer wants emails about applications. */
const isWanted = ({ member_id }: QueuedMail) =>
  member_id === null ? sql`employer.mail_on_application` : wantsApplicationMails(member_id)

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '')

type StatusChange = Record<'title' | 'company' | 'first_name', string> & {
  status: ApplicationStatus
  /** The employer's messages to the candidate since the last status email, or null. */
  messages: string[] | null
  /** The employer's own texts, if any. */
  template: Record<'subject' | 'text', string | null> | null
}

export function writeStatusMail({ title, company, first_name, status, messages, template }: StatusChange) {
  const values = { 'candidate.first_name': first_name, 'job.title': title, 'employer.name': company }
  const paragraphs = template?.text
    ? linesOf(fillIn(template.text, values))
    : // Omits the employer's reason, which is private.
      [
        t('applications.mail_status_text', { title, company, status: statusName('own', status) }),
        t(`applications.mail_status_${status}`),
      ]
  return {
    subject: template?.subject
      ? fillIn(template.subject, values)
      : t(`applications.mail_status_subject_${status}`, { title, company }),
    paragraphs: [
      ...paragraphs,
      ...(messages ? [t('applications.mail_message', { company }), ...messages.flatMap(linesOf)] : []),
    ],
  }
}

function statusMessage(change: StatusChange, url: string) {
  const name = statusName('own', change.status)
  return {
    ...writeStatusMail(change),
    link: { text: t('applications.mail_status_button'), url },
    reason: t('applications.mail_status_reason'),
    neutral: {
      subject: t('applications.mail_status_neutral_subject'),
      paragraph: t('applications.mail_status_neutral', { status: name }),
    },
  }
}

const sampleMessages = (status: ApplicationStatus) => (status === 'contacted' ? [t('mail.sample_message')] : null)

/** Emails about a new status, which is in `details.status`. */
export function applicationStatusMails(urlOf: (applicationId: string) => string): MailFeature {
  return {
    async compose(reader, mail, now) {
      const found = await findStatus(reader, mail, now)
      return found && { ...statusMessage(found, urlOf(mail.subject_id)), unsubscribeId: mail.account_id }
    },
    samples: () =>
      applicationStatuses.map((status) => ({
        name: statusName('own', status),
        message: {
          ...statusMessage(
            { ...samples().jobs[0], first_name: '', status, messages: sampleMessages(status), template: null },
            urlOf(SAMPLE_ID),
          ),
          unsubscribeId: SAMPLE_ID,
        },
      })),
    unsubscription: candidateUnsubscription,
  }
}

function sentMessage({ title, company }: Record<'title' | 'company', string>, url: string) {
  return {
    subject: t('applications.mail_sent_subject', { title }),
    paragraphs: [t('applications.mail_sent_text', { title, company }), t('applications.mail_sent_next')],
    link: { text: t('applications.mail_status_button'), url },
    reason: t('applications.mail_sent_reason'),
    neutral: { subject: t('applications.mail_sent_neutral_subject'), paragraph: t('applications.mail_sent_neutral') },
  }
}

const eitherUnsubscription: Unsubscription = {
  describe: async (reader, id) =>
    (await candidateUnsubscription.describe(reader, id)) ?? employerUnsubscription.describe(reader, id),
  async unsubscribe(tx, id, now) {
    await candidateUnsubscription.unsubscribe(tx, id, now)
    await employerUnsubscription.unsubscribe(tx, id, now)
  },
}

function newMessage({ name, title, text }: Record<'name' | 'title' | 'text', string>, url: string) {
  return {
    subject: t('messages.mail_subject', { name, title }),
    paragraphs: [t('messages.mail_text', { name, title }), ...linesOf(text)],
    link: { text: t('messages.mail_button'), url },
    reason: t('messages.mail_reason'),
    neutral: { subject: t('messages.mail_neutral_subject'), paragraph: t('messages.mail_neutral') },
  }
}

export function applicationMessageMails(urlOf: Record<Side, (applicationId: string) => string>): MailFeature {
  return {
    async compose(reader, mail) {
      const found = await findMessage(reader, mail)
      if (!found) return undefined
      const { is_from_employer, company, first_name, last_name, title, text } = found
      const name = is_from_employer ? company : `${first_name} ${last_name}`
      const url = urlOf[is_from_employer ? 'candidate' : 'employer'](mail.subject_id)
      return { ...newMessage({ name, title, text }, url), unsubscribeId: recipientOf(mail) }
    },
    samples() {
      const { title, company } = samples().jobs[0]
      const sample = { name: company, title, text: t('mail.sample_message') }
      return [{ message: { ...newMessage(sample, urlOf.candidate(SAMPLE_ID)), unsubscribeId: SAMPLE_ID } }]
    },
    unsubscription: eitherUnsubscription,
  }
}

/** Emails that confirm to candidates that the employer has their application. */
export function applicationSentMails(urlOf: (applicationId: string) => string): MailFeature {
  return {
    async compose(reader, mail) {
      const found = await findForCandidate(reader, mail)
      return found && { ...sentMessage(found, urlOf(mail.subject_id)), unsubscribeId: mail.account_id }
    },
    samples: () => [{ message: { ...sentMessage(samples().jobs[0], urlOf(SAMPLE_ID)), unsubscribeId: SAMPLE_ID } }],
    unsubscription: candidateUnsubscription,
  }
}

type Applicant = Record<'title' | 'name', string>

/**
 * Emails to employers and their members about new applications or about withdrawals. Drops an email if the
 * application's state no longer matches.
 */
export function employerMails(kind: 'received' | 'withdrawn', urlOf: (applicationId: string) => string): MailFeature {
  const messageOf = ({ title, name }: Applicant, url: string) => ({
    subject: t(`applications.mail_${kind}_subject`, { title }),
    paragraphs: [t(`applications.mail_${kind}_text`, { name, title })],
    link: { text: t('applications.mail_received_button'), url },
    reason: t(`applications.mail_${kind}_reason`),
    neutral: {
      subject: t(`applications.mail_${kind}_neutral_subject`),
      paragraph: t(`applications.mail_${kind}_neutral`),
    },
  })
  return {
    async compose(reader, mail) {
      const found = await findForEmployer(reader, mail, kind === 'withdrawn')
      if (!found) return undefined
      const { title, first_name, last_name } = found
      const message = messageOf({ title, name: `${first_name} ${last_name}` }, urlOf(mail.subject_id))
      return { ...message, unsubscribeId: recipientOf(mail) }
    },
    samples() {
      const { person: name, jobs } = samples()
      const message = messageOf({ title: jobs[0].title, name }, urlOf(SAMPLE_ID))
      return [{ message: { ...message, unsubscribeId: SAMPLE_ID } }]
    },
    unsubscription: employerUnsubscription,
  }
}

/**
 * Returns undefined if the status has changed again, or if the candidate withdrew, was erased or opted out. Unless
 * an operator resends the email, also returns undefined if an email already reported the status and there is no new
 * message. Includes the messages of earlier emails that this email replaced. Omits messages about a rejection that was
 * undone. Also omits messages so old that a sent email with them may have been purged.
 */
function findStatus(reader: Reader, mail: QueuedMail, now: Date) {
  const lastSent = (detail: string) => lastSentDetail('application-status', 'application.id', detail)
  const position = Number(mail.details.position ?? 0)
  const keptSince = new Date(now.getTime() - SETTLED_KEPT_MS)
  return statement<StatusChange>`
    select job.title, job.company, candidate.first_name, application.status, unreported.messages,
      (select json_build_object('subject', subject, 'text', text) from email_template
        where employer_id = application.employer_id and status = application.status) as template
    from application
    ${joinCandidate('application.candidate_id')}
    ${joinJob('application.job_id')}
    cross join lateral (
      select json_agg(change.message order by change.position) as messages
      from application_status_change as change
      where change.application_id = application.id and change.message is not null and change.position <= ${position}
        and (change.position = ${position}
          or (change.status <> 'rejected' and change.position > coalesce(${lastSent('position')}::int, 0) and change.at >= ${keptSince}))
    ) as unreported
    where application.id = ${mail.subject_id} and candidate.id = ${mail.account_id}
      and application.withdrawn_at is null and candidate.mail_on_status_change
      and application.status = ${String(mail.details.status)}
      -- The status may have changed back without an email. Earlier releases stored no position.
      and (${mail.repeats !== null || position === 0} or not exists (
        select from application_status_change as later
        where later.application_id = application.id and later.position > ${position}))
      -- Sends nothing if the last email already reported this status, unless an operator sends that email again.
      and (${mail.repeats !== null} or unreported.messages is not null
        or application.status is distinct from ${lastSent('status')})`.first(reader)
}

/** Returns undefined if the candidate was erased, or if the recipient opted out. */
function findMessage(reader: Reader, mail: QueuedMail) {
  type Row = Record<'text' | 'title' | 'company' | 'first_name' | 'last_name', string> & { is_from_employer: boolean }
  return statement<Row>`
    select message.text, message.is_from_employer, job.title, job.company, candidate.first_name, candidate.last_name
    from application_message as message
    join application on application.id = message.application_id
    ${joinEmployer('application.employer_id')}
    ${joinCandidate('application.candidate_id')}
    ${joinJob('application.job_id')}
    where message.id = ${String(mail.details.message_id)} and application.id = ${mail.subject_id}
      and case when message.is_from_employer then candidate.id = ${mail.account_id} and candidate.mail_on_status_change
        else employer.account_id = ${mail.account_id} and ${isWanted(mail)} end`.first(reader)
}

/** Returns undefined if the application was withdrawn, or if the candidate was erased or opted out. */
function findForCandidate(reader: Reader, mail: QueuedMail) {
  return statement<{ title: string; company: string }>`
    select job.title, job.company
    from application
    ${joinCandidate('application.candidate_id')}
    ${joinJob('application.job_id')}
    where application.id = ${mail.subject_id} and candidate.id = ${mail.account_id}
      and application.withdrawn_at is null and candidate.mail_on_status_change`.first(reader)
}

/**
 * Returns undefined if the candidate was erased or the recipient opted out, or if the application's state does not
 * match `isWithdrawn`.
 */
function findForEmployer(reader: Reader, mail: QueuedMail, isWithdrawn: boolean) {
  return statement<{ title: string; first_name: string; last_name: string }>`
    select job.title, candidate.first_name, candidate.last_name
    from application
    ${joinEmployer('application.employer_id')}
    ${joinCandidate('application.candidate_id')}
    ${joinJob('application.job_id')}
    where application.id = ${mail.subject_id} and employer.account_id = ${mail.account_id}
      and (application.withdrawn_at is not null) = ${isWithdrawn} and ${isWanted(mail)}`.first(reader)
}
