import { formatDecimal } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
import {
  badge,
  button,
  card,
  confirmedAction,
  day,
  emptyState,
  message,
  postForm,
  prose,
} from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { attributes, type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { rich } from '../../pages/text.ts'
import type { Recognized } from './resumes.queries.ts'
import { RESUME_BYTES_MAX, RESUMES_MAX, type Resume } from './resumes.schemas.ts'

const size = (bytes: number) =>
  bytes < 100_000
    ? t('resumes.kilobytes', { count: Math.max(1, Math.round(bytes / 1_000)) })
    : t('resumes.megabytes', { count: formatDecimal(bytes / 1_000_000) })

const UPLOAD = '/me/resumes'

interface Drop {
  /** Name of the file field. */
  name: string
  label: string
  isRequired: boolean
}

/**
 * Renders the file field of a form. A script uploads a file as soon as it is chosen or dropped here, and then replaces
 * the element that has the attribute `data-resumes`.
 */
export function renderResumeDrop(page: PageContext, form: Form, { name, label, isRequired }: Drop): Html {
  const field = form.field(name, label, {
    type: 'file',
    isRequired,
    hint: t('resumes.hint'),
    accept: '.pdf,.doc,.docx,.odt,.rtf,.txt',
    'data-bytes-max': RESUME_BYTES_MAX,
    'data-too-large': t('resumes.too_large', { count: Math.floor(RESUME_BYTES_MAX / 1_048_576) }),
  })
  if (!page.may('POST', UPLOAD)) return field
  return html`<div class="drop"${attributes({ 'data-drop': UPLOAD, 'data-failed': t('resumes.upload_failed') })}>${field}
<p class="small soft scripted">${t('resumes.drop_here')}</p>
<div hidden data-progress><p class="small">${t('resumes.uploading')}</p><progress max="1" aria-label="${t('resumes.uploading')}"></progress></div>
<p class="fault" role="alert" hidden data-fault></p></div>`
}

/**
 * Maximum number of characters of a resume's text that candidates see: enough to judge the quality of the extraction.
 */
export const RECOGNIZED_MAX = 2_000

/** Renders the text that employers can search, or the reason why there is none. */
export function renderRecognized(filename: string, recognized: Recognized, isOpen = false): Html {
  const { state } = recognized
  const contentOf = {
    pending: () => html`<p class="small soft">${t('resumes.reading', { filename })}</p>`,
    none: () => message(html`<p>${t('resumes.no_text', { filename })}</p>`, 'warn'),
  }
  const content =
    recognized.state === 'text'
      ? html`<details${attributes({ open: isOpen })}><summary>${t('resumes.searched', { filename })}</summary><div class="sheet-paper">${prose(recognized.beginning + (recognized.isCut ? ' …' : ''))}</div></details>`
      : contentOf[recognized.state]()
  return html`<div class="gap-2" data-recognized="${state}">${content}</div>`
}

interface ResumesPage {
  resumes: readonly Resume[]
  /** The text extracted from the default resume, the only one that employers search. */
  recognized: Recognized | undefined
  form: Form
}

export function renderResumes(page: PageContext, { resumes, recognized, form }: ResumesPage): Html {
  return htmlPage(page, {
    title: t('resumes.title'),
    width: 'narrow',
    modules: ['files.js', 'drop.js'],
  })`<h1>${t('resumes.title')}</h1>
${form.summary()}
<div class="flow" data-resumes>${
    resumes.length > 0
      ? html`<ul class="bare flow">${resumes.map((resume) => html`<li>${renderResume(page, resume, recognized)}</li>`)}</ul>`
      : emptyState(t('resumes.none_yet'), html`<p>${t('resumes.default_explained')}</p>`)
  }
<h2>${t('resumes.add')}</h2>
${
  resumes.length < RESUMES_MAX
    ? card(
        postForm(
          page,
          UPLOAD,
          [
            renderResumeDrop(page, form, { name: 'file', label: t('resumes.file'), isRequired: true }),
            button(t('resumes.upload'), { class: 'by-hand' }),
          ],
          { enctype: 'multipart/form-data' },
        ),
      )
    : message(html`<p>${t('resumes.at_most', { count: RESUMES_MAX })}</p>`)
}</div>`
}

function renderResume(page: PageContext, resume: Resume, recognized: Recognized | undefined): Html {
  const { id, filename, size_bytes, created_at, is_default } = resume
  return card(html`<div class="row apart">
<div><p><a href="/me/resumes/${id}">${filename}</a> ${is_default && badge(t('resumes.default'), 'good')}</p>
<p class="soft small">${rich('resumes.details', { size: size(size_bytes), day: day(created_at) })}</p></div>
${confirmedAction(page, { action: `/me/resumes/${id}/delete`, text: t('shared.delete'), question: html`<p>${rich('resumes.delete_question', { filename })}</p>` })}
</div>${is_default && recognized && renderRecognized(filename, recognized, true)}`)
}
