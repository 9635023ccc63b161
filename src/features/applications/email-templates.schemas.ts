import { type Static, Type } from 'typebox'
import { Choice, MergeBody, Name, Nullable, Resource, Strict, Text } from '../../lib/schema.ts'
import { applicationStatuses } from './applications.schemas.ts'
import { placeholders } from './placeholders.ts'

/** The statuses that candidates get emails about. Omits `pending`, because no application returns to it. */
export const templateStatuses = applicationStatuses.filter((status) => status !== 'pending')
export type TemplateStatus = (typeof templateStatuses)[number]

const about = `May contain ${placeholders.map((name) => `\`{{${name}}}\``).join(', ')}. Null for the board's default.`
const writable = { subject: Nullable(Name(1, 200, about)), text: Nullable(Text(1, 5_000, about)) }
export const templateMembers = ['subject', 'text'] as const satisfies (keyof typeof writable)[]

export const TemplateParams = Strict({ status: Choice(templateStatuses) })
export const PreviewBody = Type.Partial(Strict(writable), { additionalProperties: false })

export const EmailTemplateSchema = Resource('EmailTemplate', { status: Choice(templateStatuses), ...writable })
export type EmailTemplate = Static<typeof EmailTemplateSchema>

export const TemplateBody = MergeBody(writable, EmailTemplateSchema)
export type TemplateBody = Static<typeof TemplateBody>

export const EmailPreviewSchema = Resource('EmailPreview', { subject: Type.String(), text: Type.String() })
