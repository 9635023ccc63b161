/** The recipients of emails to employers. */
import type { Tx } from '../../db/database.ts'
import { type NewMail, queueMails } from '../../mail/queue.ts'
import { listRecipients } from '../teams/teams.sql.ts'
import { findEmployerAccountId } from './employers.queries.ts'

/** Queues an email to an employer, its owners and its recruiters. Does nothing if the employer has no account. */
export async function queueToEmployer(
  tx: Tx,
  employerId: string,
  mail: Omit<NewMail, 'accountId' | 'memberId'>,
): Promise<void> {
  const accountId = await findEmployerAccountId(tx, employerId)
  const recipients = accountId === null ? [] : await listRecipients(tx, [accountId], 'recruiter')
  await queueMails(
    tx,
    recipients.map((recipient) => ({ ...mail, ...recipient })),
  )
}
