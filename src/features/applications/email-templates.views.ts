import { t } from '../../locale/messages.ts'
import {
  besidePreview,
  button,
  card,
  PREVIEW_MODULE,
  postForm,
  previewButton,
  prose,
  tabs,
} from '../../pages/components.ts'
import { editedField } from '../../pages/editing.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { statusName } from './applications.present.ts'
import { type TemplateStatus, templateStatuses } from './email-templates.schemas.ts'
import { placeholders } from './placeholders.ts'
import { RECEIVED } from './received-applications.address.ts'

export const EMAIL_TEMPLATES = `${RECEIVED}/emails`

interface TemplateView {
  form: Form
  status: TemplateStatus
  /** The email that the template produces. Undefined unless the employer requested a preview. */
  preview: { subject: string; text: string } | undefined
}

export function renderEmailTemplate(page: PageContext, { form, status, preview }: TemplateView): Html {
  const path = `${EMAIL_TEMPLATES}/${status}`
  const statuses = templateStatuses.map((each) => ({
    href: `${EMAIL_TEMPLATES}/${each}`,
    text: statusName('received', each),
  }))
  const names = placeholders.map((name, n) => html`${n > 0 && ' '}<code>{{${name}}}</code>`)
  const editor = postForm(page, path, [
    form.summary(),
    editedField(form),
    form.field('subject', t('received.template_subject'), { isRequired: false, maxlength: 200, autocomplete: 'off' }),
    form.textArea('text', t('received.template_text'), {
      isRequired: false,
      rows: 10,
      maxlength: 5_000,
      hint: html`${t('received.template_placeholders')} ${names}`,
    }),
    html`<div class="actions">${button(t('received.template_save'))}${previewButton()}</div>`,
  ])
  return htmlPage(page, { title: t('received.templates'), modules: [PREVIEW_MODULE] })`
<h1>${t('received.templates')}</h1><p>${t('received.templates_text')}</p>
${tabs(page, t('received.templates'), statuses)}
${besidePreview(path, [editor, preview && renderPreview(preview)])}`
}

const renderPreview = ({ subject, text }: NonNullable<TemplateView['preview']>): Html =>
  card(
    [
      html`<h2>${t('shared.preview')}</h2><p class="small soft head-gap">${t('received.template_sample')}</p><p class="strong head-gap">${subject}</p>`,
      prose(text),
    ],
    {
      'data-preview': true,
    },
  )
