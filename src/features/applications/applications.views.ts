/** Components that the candidate's and the employer's application pages share. */
import { t } from '../../locale/messages.ts'
import { badge, card, day, facts, outsideLink, prose, type Tone } from '../../pages/components.ts'
import { type Content, type Html, html } from '../../pages/html.ts'
import type { CustomQuestion } from '../jobs/index.ts'
import { type Side, statusName } from './applications.present.ts'
import type { ApplicationStatus } from './applications.schemas.ts'

const tones: Record<Side, Record<ApplicationStatus, Tone>> = {
  own: { pending: 'plain', reviewed: 'accent', contacted: 'accent', rejected: 'bad', hired: 'good' },
  received: { pending: 'accent', reviewed: 'plain', contacted: 'warn', rejected: 'bad', hired: 'good' },
}

export const statusBadge = (side: Side, status: ApplicationStatus): Html =>
  badge(statusName(side, status), tones[side][status])

export const withdrawnBadge = (withdrawn_at: string | null) =>
  withdrawn_at !== null && badge(t('applications.status_withdrawn'), 'warn')

/**
 * Renders the answers in the order of the questions, then answers to deleted questions, each labeled with the ID of its
 * question.
 */
export function renderAnswers(
  title: string,
  questions: readonly CustomQuestion[] = [],
  answers: Readonly<Record<string, unknown>>,
): Html | undefined {
  const byId = new Map(questions.map((question) => [question.id, question]))
  const asked = new Set([...byId.keys(), ...Object.keys(answers)])
  const answered = [...asked].filter((id) => Object.hasOwn(answers, id))
  if (answered.length === 0) return undefined
  return card([
    html`<h2>${title}</h2>`,
    facts(answered.map((id) => [byId.get(id)?.label ?? id, renderAnswer(answers[id], byId.get(id))])),
  ])
}

function renderAnswer(answer: unknown, question: CustomQuestion | undefined): Content {
  if (typeof answer === 'boolean') return t(answer ? 'shared.yes' : 'shared.no')
  if (Array.isArray(answer)) return answer.map(String).join(', ')
  const text = String(answer)
  // The employer may have changed the type of the question since the candidate answered it.
  if (question?.type === 'date' && /^\d{4}-\d{2}-\d{2}$/.test(text)) return day(text)
  return /^https?:\/\/\S+$/i.test(text) ? outsideLink(text) : prose(text)
}

export function renderHistory(title: string, changes: readonly Content[]): Html {
  return card([
    html`<h2>${title}</h2>`,
    html`<ol class="timeline">${changes.map((each) => html`<li>${each}</li>`)}</ol>`,
  ])
}
