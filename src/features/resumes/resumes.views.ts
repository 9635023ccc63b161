import { formatDecimal } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
import { actionButton, badge, button, card, day, emptyState, message, postForm } from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { rich } from '../../pages/text.ts'
import { RESUME_BYTES_MAX, RESUMES_MAX, type Resume } from './resumes.schemas.ts'

const size = (bytes: number) =>
  bytes < 100_000
    ? t('resumes.kilobytes', { count: Math.max(1, Math.round(bytes / 1_000)) })
    : t('resumes.megabytes', { count: formatDecimal(bytes / 1_000_000) })

export function renderResumeField(form: Form, name: string, label: string, isRequired: boolean): Html {
  return form.field(name, label, {
    type: 'file',
    isRequired,
    hint: t('resumes.hint'),
    accept: '.pdf,.doc,.docx,.odt,.rtf,.txt',
    'data-bytes-max': RESUME_BYTES_MAX,
    'data-too-large': t('resumes.too_large', { count: Math.floor(RESUME_BYTES_MAX / 1_048_576) }),
  })
}

export function renderResumes(page: PageContext, resumes: readonly Resume[], form: Form): Html {
  return htmlPage(page, {
    title: t('resumes.title'),
    width: 'narrow',
    modules: ['files.js'],
  })`<h1>${t('resumes.title')}</h1>
${form.summary()}
${
  resumes.length > 0
    ? html`<ul class="bare">${resumes.map((resume) => html`<li>${renderResume(page, resume)}</li>`)}</ul>`
    : emptyState(t('resumes.none_yet'), html`<p>${t('resumes.default_explained')}</p>`)
}
<h2>${t('resumes.add')}</h2>
${
  resumes.length < RESUMES_MAX
    ? card(
        postForm(
          page,
          '/me/resumes',
          [renderResumeField(form, 'file', t('resumes.file'), true), button(t('resumes.upload'))],
          {
            enctype: 'multipart/form-data',
          },
        ),
      )
    : message(html`<p>${t('resumes.at_most', { count: RESUMES_MAX })}</p>`)
}`
}

function renderResume(page: PageContext, { id, filename, size_bytes, created_at, is_default }: Resume): Html {
  return card(html`<div class="row apart">
<div><p><a href="/me/resumes/${id}">${filename}</a> ${is_default && badge(t('resumes.default'), 'good')}</p>
<p class="soft small">${rich('resumes.details', { size: size(size_bytes), day: day(created_at) })}</p></div>
${actionButton(page, { action: `/me/resumes/${id}/delete`, text: t('shared.delete'), variant: 'danger' })}
</div>`)
}
