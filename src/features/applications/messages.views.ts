import { t } from '../../locale/messages.ts'
import { button, card, moment, postForm, prose } from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import type { PageContext } from '../../pages/page.ts'
import type { ApplicationMessage, Side } from './messages.schemas.ts'
import { MESSAGE_LENGTH_MAX, MESSAGES_MAX } from './messages.schemas.ts'

export interface Conversation {
  /** The reader's side. */
  side: Side
  /** Name of the other side. */
  other: string
  /** Oldest first. */
  messages: readonly ApplicationMessage[]
  /** URL to which the form is submitted. */
  action: string
  /** False after the application was withdrawn. */
  isOpen: boolean
  form: Form
}

/** Renders the messages about an application, and a form for the next one. */
export function renderMessages(
  page: PageContext,
  { side, other, messages, action, isOpen, form }: Conversation,
): Html | undefined {
  const mayWrite = isOpen && messages.length < MESSAGES_MAX
  if (!mayWrite && messages.length === 0) return undefined
  const items = messages.map(
    ({ from, by, text, created_at, read_at }) =>
      html`<li><p class="row"><span class="strong">${from === side ? (by?.name ?? t('messages.you')) : other}</span> <span class="soft small">${moment(created_at)}${from === side && read_at && ` · ${t('messages.read')}`}</span></p>${prose(text)}</li>`,
  )
  return card(
    [
      html`<h2>${t('messages.title')}</h2>`,
      items.length > 0 && html`<ol class="timeline">${items}</ol>`,
      mayWrite &&
        page.may('POST', action) &&
        postForm(page, action, [
          form.textArea('reply', t('messages.new', { name: other }), {
            isRequired: true,
            rows: 4,
            maxlength: MESSAGE_LENGTH_MAX,
            hint: t('messages.hint'),
          }),
          button(t('messages.send'), { variant: 'secondary' }),
        ]),
    ],
    { id: 'messages' },
  )
}
