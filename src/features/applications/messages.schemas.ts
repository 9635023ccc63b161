import { type Static, Type } from 'typebox'
import { Choice, Nullable, Resource, Strict, Text, Timestamp } from '../../lib/schema.ts'
import { parameter } from '../../lists/parameters.ts'
import type { ListDeclaration } from '../../lists/query.ts'
import { Author } from '../accounts/index.ts'

/** Maximum number of messages about one application, so that its page can show all of them. */
export const MESSAGES_MAX = 200
export const MESSAGE_LENGTH_MAX = 10_000

export const MessageBody = Strict({ text: Text(1, MESSAGE_LENGTH_MAX) })

const sides = ['employer', 'candidate'] as const
export type Side = (typeof sides)[number]

export const MessageSchema = Resource('ApplicationMessage', {
  id: Type.String(),
  from: Choice(sides),
  by: Author,
  text: Type.String(),
  created_at: Timestamp(),
  read_at: Nullable(Timestamp('When the other side first read the message, through the API or on the website.')),
})
export type ApplicationMessage = Static<typeof MessageSchema>

export const messageList = {
  name: 'applications/messages',
  filters: { created_at: parameter.time('When the message was written.') },
  sorts: { created_at: {} },
  defaultSort: [{ field: 'created_at', direction: 'desc' }],
} as const satisfies ListDeclaration
