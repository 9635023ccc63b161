import { actionButton, badge, button, card, day, emptyState, message, postForm } from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { RESUME_BYTES_MAX, RESUMES_MAX, type Resume } from './resumes.schemas.ts'

const size = (bytes: number) =>
  bytes < 100_000 ? `${Math.max(1, Math.round(bytes / 1_000))} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`

export function renderResumeField(form: Form, name: string, label: string, isRequired: boolean): Html {
  return form.field(name, label, {
    type: 'file',
    isRequired,
    hint: 'PDF, Word, OpenDocument, RTF or plain text, at most 5 MB. The file becomes your default resume.',
    accept: '.pdf,.doc,.docx,.odt,.rtf,.txt',
    'data-bytes-max': RESUME_BYTES_MAX,
  })
}

export function renderResumes(page: PageContext, resumes: readonly Resume[], form: Form): Html {
  return htmlPage(page, { title: 'Your resumes', width: 'narrow', modules: ['files.js'] })`<h1>Your resumes</h1>
${form.summary()}
${
  resumes.length > 0
    ? html`<ul class="bare">${resumes.map((resume) => html`<li>${renderResume(page, resume)}</li>`)}</ul>`
    : emptyState('No resumes yet', html`<p>Applications use your default resume, which is the newest one here.</p>`)
}
<h2>Add a resume</h2>
${
  resumes.length < RESUMES_MAX
    ? card(
        postForm(page, '/me/resumes', [renderResumeField(form, 'file', 'File', true), button('Upload')], {
          enctype: 'multipart/form-data',
        }),
      )
    : message(html`<p>You can keep at most ${RESUMES_MAX} resumes. Delete one to add another.</p>`)
}`
}

function renderResume(page: PageContext, { id, filename, size_bytes, created_at, is_default }: Resume): Html {
  return card(html`<div class="row apart">
<div><p><a href="/me/resumes/${id}">${filename}</a> ${is_default && badge('Default', 'good')}</p>
<p class="soft small">${size(size_bytes)}, uploaded ${day(created_at)}</p></div>
${actionButton(page, { action: `/me/resumes/${id}/delete`, text: 'Delete', variant: 'danger' })}
</div>`)
}
