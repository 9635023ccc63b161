/** The employer's page for one application. */
import { formatDecimal, formatNumber } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
import {
  actionButton,
  button,
  card,
  day,
  logo,
  message,
  moment,
  postForm,
  prose,
  wayTo,
} from '../../pages/components.ts'
import { editedField } from '../../pages/editing.ts'
import { type Form, optionsFor } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { rich } from '../../pages/text.ts'
import type { CustomQuestion } from '../jobs/index.ts'
import { isPdf } from '../resumes/index.ts'
import { statusName } from './applications.present.ts'
import type { Neighbors } from './applications.queries.ts'
import type { ApplicationStatus, EmployerApplication } from './applications.schemas.ts'
import { renderAnswers, renderHistory, statusBadge, withdrawnBadge } from './applications.views.ts'
import { type Conversation, renderMessages } from './messages.views.ts'
import { NOTES_MAX, type Note } from './notes.schemas.ts'
import { type ListAddress, RECEIVED } from './received-applications.address.ts'
import { nameOf, nameOfMove, stars } from './received-applications.views.ts'

interface ApplicantView {
  application: EmployerApplication
  /** The list from which the employer opened the application. */
  address: ListAddress
  /** Undefined if the job was deleted. */
  questions: readonly CustomQuestion[] | undefined
  neighbors: Neighbors
  /** The start of the resume's text. Null until the text has been extracted, and if the file contains no text. */
  resumeText: string | null
  /** Statuses that the employer can set. */
  allowed: readonly ApplicationStatus[]
  isErased: boolean
  /** The employer's message to the candidate for each entry of the history. Null for entries without a message. */
  messages: readonly (string | null)[]
  move: Form
  assessment: Form
  /** The employer's notes, newest first. */
  notes: readonly Note[]
  note: Form
  /** The messages of both sides, oldest first. */
  conversation: Conversation['messages']
  reply: Form
}

export function renderApplicant(page: PageContext, view: ApplicantView): Html {
  const { application, questions, allowed, isErased, messages, move, assessment, note } = view
  const { id, candidate, job, cover_letter, source, status, withdrawn_at, applied_at, status_history } = application
  const { email, phone, location, headline } = candidate
  const name = nameOf(application)
  return htmlPage(page, { title: t('shared.labeled', { label: name, text: job.title }), modules: ['resume.js'] })`
<div class="row apart head-gap"><ol class="crumbs flat"><li><a href="${RECEIVED}">${t('received.applicants')}</a></li><li><a href="${RECEIVED}?job_id=${job.id}">${job.title}</a></li></ol>${renderNeighbors(view)}</div>
<div class="row nowrap-row head-gap top-line">${logo({ name }, 'round big')}<div class="grow"><div class="row"><h1>${name}</h1>${statusBadge('received', status)}${withdrawnBadge(withdrawn_at)}</div>
${(headline || location) && html`<p class="soft">${[headline, location].filter(Boolean).join(', ')}</p>`}
<ul class="meta">${email && html`<li><a href="mailto:${email}">${email}</a></li>`}${phone && html`<li><a href="tel:${phone.replace(/[^+\d]/g, '')}">${phone}</a></li>`}<li>${rich('received.applied_on', { day: day(applied_at) })}</li>${source && html`<li>${t('received.came_from', { source })}</li>`}</ul></div></div>
${move.summary()}${assessment.summary()}${note.summary()}${view.reply.summary()}
${isErased && message(html`<p>${t('received.erased')}</p>`, 'warn')}
${withdrawn_at && !isErased && message(html`<p>${rich('received.withdrawn_on', { day: day(withdrawn_at) })}</p>`, 'warn')}
<div class="split">
<div class="loose">
${renderResume(page, view)}
${renderAnswers(t('received.answers'), questions, application.custom_questions)}
${!isErased && card([html`<h2>${t('received.letter')}</h2>`, prose(cover_letter)])}
${!isErased && renderConversation(page, view)}
${!isErased && renderNotes(page, view)}
</div>
<aside class="stick flow" aria-label="${t('received.decision')}">
${allowed.length > 0 && renderStatusForm(page, view)}
${!isErased && renderAssessment(page, view)}
${renderHistory(
  t('received.history'),
  status_history
    .map(
      ({ status, at, reason, by }, n) =>
        html`<p class="row">${statusBadge('received', status)} <span class="soft small">${moment(at)}${by && ` · ${by.name}`}</span></p>${reason && prose(reason)}${messages[n] && html`<p class="small soft">${t('received.sent_message')}</p>${prose(messages[n])}`}`,
    )
    .toReversed(),
)}
</aside>
</div>
${allowed.length > 0 && page.may('POST', `${RECEIVED}/${id}`) && html`<div class="apply-bar phone-only" role="region" aria-label="${t('received.decision')}"><a class="btn main" href="#move">${t('received.move_to_more')}</a></div>`}`
}

/** Renders links to the list and to the previous and next applicants in it. */
function renderNeighbors({ neighbors, address }: ApplicantView): Html | undefined {
  const { position, total, previous, next } = neighbors
  if (!address.isNamed && (position === null || total === 1)) return undefined
  const link = (id: string) => address.pathTo(`${RECEIVED}/${id}`)
  const where = position === null ? t('received.listed', { count: total }) : t('received.position', { position, total })
  const list = address.status === undefined ? t('received.all') : statusName('received', address.status)
  return html`<nav class="row" aria-label="${t('received.applicants')}">${previous && html`<a class="btn slim" href="${link(previous)}" rel="prev" aria-label="${t('received.previous_applicant')}">${icon('back')}${t('received.previous')}</a>`}<span class="small soft">${address.isNamed ? rich('shared.labeled', { label: html`<a href="${address.pathTo(RECEIVED)}">${list}</a>`, text: where }) : where}</span>${next && html`<a class="btn slim" href="${link(next)}" rel="next" aria-label="${t('received.next_applicant')}">${t('received.next')}${icon('next')}</a>`}</nav>`
}

function renderResume(page: PageContext, { application, resumeText }: ApplicantView): Html | undefined {
  const { resume } = application
  if (!resume) return undefined
  const file = `/employer/resumes/${resume.id}`
  const text = resumeText?.trim() ? html`<div class="sheet-paper">${prose(resumeText)}</div>` : undefined
  const isDrawn = isPdf(resume) && page.may('GET', `${file}/view`)
  const open = isDrawn && wayTo(page, t('received.open'), `${file}/view`)
  return card(html`<h2>${t('received.resume')}</h2><div class="row apart"><p><span class="file-name">${resume.filename}</span> <span class="soft">${formatBytes(resume.size_bytes)}</span></p>
<div class="row">${open}${wayTo(page, t('received.download'), file)}</div></div>
${
  isDrawn &&
  html`<object class="pdf wide-only" data="${page.frame(`${file}/view#navpanes=0&view=FitH`)}" type="${resume.content_type}" aria-label="${t('received.resume_of', { name: nameOf(application) })}"><p class="soft">${t('received.no_viewer')}</p></object>`
}
${text && html`<details class="gap-2" open data-resume-text><summary>${t('received.resume_text')}</summary>${text}</details>`}`)
}

function renderStatusForm(page: PageContext, { application, address, allowed, move: form }: ApplicantView): Html {
  return card(
    [
      html`<h2>${t('received.move_to')}</h2>`,
      postForm(page, address.pathTo(`${RECEIVED}/${application.id}`), [
        editedField(form),
        form.select('status', t('received.stage'), optionsFor(allowed, nameOfMove, t('received.choose_stage')), {
          isRequired: true,
        }),
        form.textArea('reason', t('received.reason'), {
          isRequired: false,
          hint: t('received.reason_hint'),
          rows: 2,
          maxlength: 2_000,
        }),
        form.textArea('message', t('received.message'), {
          isRequired: false,
          hint: t('received.message_hint'),
          rows: 3,
          maxlength: 5_000,
        }),
        form.checkbox('notify', t('received.notify')),
        button(t('received.move'), { class: 'full' }),
      ]),
    ],
    { id: 'move' },
  )
}

function renderAssessment(page: PageContext, { application, address, assessment: form }: ApplicantView): Html {
  const ratings = optionsFor(['5', '4', '3', '2', '1'], (rating) => stars(Number(rating)), t('received.not_rated'))
  return card([
    html`<h2>${t('received.assessment')}</h2><p class="small soft">${t('received.assessment_note')}</p>`,
    postForm(page, address.pathTo(`${RECEIVED}/${application.id}/assessment`), [
      editedField(form),
      form.choices('rating', t('received.rating'), ratings, { type: 'radio' }),
      form.textArea('tags', t('received.tags'), { isRequired: false, hint: t('form.one_per_line'), rows: 3 }),
      button(t('received.save'), { variant: 'secondary', class: 'full' }),
    ]),
  ])
}

const renderConversation = (page: PageContext, { application, address, conversation, reply }: ApplicantView) =>
  renderMessages(page, {
    side: 'employer',
    other: nameOf(application),
    messages: conversation,
    action: address.pathTo(`${RECEIVED}/${application.id}/messages`),
    isOpen: application.withdrawn_at === null,
    form: reply,
  })

/** Returns whether the visitor may delete a note. Members who are not owners may delete only their own notes. */
const isOwnNote = ({ actor }: PageContext, by: Note['by']) =>
  !actor?.member || actor.member.role === 'owner' || actor.member.id === by?.member_id

function renderNotes(page: PageContext, { application: { id }, address, notes, note }: ApplicantView): Html {
  const action = `${RECEIVED}/${id}/notes`
  const remove = (noteId: string) =>
    actionButton(page, {
      action: address.pathTo(`${action}/${noteId}/delete`),
      text: t('received.delete_note'),
      variant: 'quiet',
    })
  return card(
    [
      html`<h2>${t('received.notes')}</h2><p class="small soft">${t('received.notes_note')}</p>`,
      notes.length > 0 &&
        html`<ol class="timeline">${notes.map(
          ({ id: noteId, text, created_at, by }) =>
            html`<li><div class="row apart"><span class="soft small">${moment(created_at)}${by && ` · ${by.name}`}</span>${isOwnNote(page, by) && remove(noteId)}</div>${prose(text)}</li>`,
        )}</ol>`,
      notes.length < NOTES_MAX &&
        postForm(page, address.pathTo(action), [
          note.textArea('text', t('received.new_note'), { isRequired: true, rows: 3, maxlength: 5_000 }),
          button(t('received.add_note'), { variant: 'secondary' }),
        ]),
    ],
    { id: 'notes' },
  )
}

function formatBytes(bytes: number): string {
  if (bytes < 1_000) return t('received.bytes', { bytes })
  if (bytes < 1_000_000) return t('received.kilobytes', { amount: formatNumber(Math.round(bytes / 1_000)) })
  return t('received.megabytes', { amount: formatDecimal(bytes / 1_000_000) })
}
