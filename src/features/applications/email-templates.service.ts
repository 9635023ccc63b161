/** Employers' own texts for the emails about new statuses. */
import { sql } from 'kysely'
import type { Reader, Tx } from '../../db/database.ts'
import type { Change } from '../../lib/changes.ts'
import type { BodyFault } from '../../lib/errors.ts'
import { mergeBody } from '../../lib/merge.ts'
import { samples } from '../../mail/samples.ts'
import { lockAccountRow } from '../accounts/index.ts'
import { writeStatusMail } from './applications.mails.ts'
import {
  type EmailTemplate,
  type TemplateBody,
  type TemplateStatus,
  templateMembers,
} from './email-templates.schemas.ts'
import { placeholders, unknownPlaceholderIn } from './placeholders.ts'

/** Returns a fault for each member with an unknown placeholder. */
export const placeholderFaults = (body: Partial<EmailTemplate>): BodyFault[] =>
  templateMembers.flatMap((member) => {
    const placeholder = unknownPlaceholderIn(body[member] ?? '')
    if (placeholder === undefined) return []
    const known = placeholders.map((name) => `{{${name}}}`).join(', ')
    const detail = `${member} contains the unknown placeholder ${placeholder}. Available placeholders: ${known}.`
    const words = { key: 'fault.placeholder', values: { placeholder } } as const
    return [{ pointer: `#/${member}`, code: 'not_allowed', detail, words }]
  })

export async function getTemplate(reader: Reader, employerId: string, status: TemplateStatus): Promise<EmailTemplate> {
  const stored = await reader
    .selectFrom('email_template')
    .select(templateMembers)
    .where('employer_id', '=', employerId)
    .where('status', '=', status)
    .executeTakeFirst()
  return { status, subject: null, text: null, ...stored }
}

interface TemplateChange extends Pick<Change<TemplateBody>, 'body' | 'faults' | 'precondition'> {
  employerId: string
  status: TemplateStatus
}

export async function updateTemplate(
  tx: Tx,
  { employerId, status, precondition, ...change }: TemplateChange,
): Promise<EmailTemplate> {
  await lockAccountRow(tx, sql`${employerId}`, 'no key update')
  const present = await getTemplate(tx, employerId, status)
  const faults = [...change.faults, ...(change.faults.length === 0 ? placeholderFaults(change.body) : [])]
  const { merged } = mergeBody(present, { body: change.body, faults }, templateMembers)
  precondition(present)
  const { subject, text } = merged
  await tx
    .insertInto('email_template')
    .values({ employer_id: employerId, status, subject, text })
    .onConflict((conflict) => conflict.columns(['employer_id', 'status']).doUpdateSet({ subject, text }))
    .execute()
  return merged
}

/** Returns the email that a template produces for a fictional candidate and job. */
export function previewTemplate(template: EmailTemplate, company: string): { subject: string; text: string } {
  const { person, jobs } = samples()
  const [first_name = ''] = person.split(' ')
  const details = { title: jobs[0].title, company, first_name, messages: null }
  const { subject, paragraphs } = writeStatusMail({ ...details, status: template.status, template })
  return { subject, text: paragraphs.join('\n\n') }
}
