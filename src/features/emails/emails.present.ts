import { namesOf, pickMembers } from '../../lib/members.ts'
import type { EmailRow } from './emails.queries.ts'
import { type Email, EmailSchema } from './emails.schemas.ts'

const names = namesOf(EmailSchema.properties)

export const presentEmail = (row: EmailRow): Email =>
  pickMembers({ ...row, to: row.recipient, error: row.last_error }, names)
