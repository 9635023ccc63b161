/** The progress of an application, as shown to its candidate. */
import { t } from '../../locale/messages.ts'
import { type Html, html } from '../../pages/html.ts'
import { statusName } from './applications.present.ts'
import type { Application, ApplicationStatus } from './applications.schemas.ts'

interface Step {
  text: string
  className: '' | 'done' | 'now' | 'over now'
}

const WAY = ['pending', 'reviewed', 'contacted'] as const
const nameOf = (status: ApplicationStatus) => statusName('own', status)

type Progress = Pick<Application, 'status' | 'withdrawn_at'> & Partial<Pick<Application, 'status_history'>>

/** Returns the steps taken and the step that ended the application, or all steps if the application has not ended. */
function stepsOf({ status, withdrawn_at, status_history = [] }: Progress): Step[] {
  const seen = new Set<ApplicationStatus>(['pending', status, ...status_history.map((change) => change.status)])
  const last = WAY.findLastIndex((each) => seen.has(each))
  const taken = WAY.slice(0, last + 1).filter((each, n) => n === 0 || seen.has(each) || seen.has('hired'))
  const end =
    withdrawn_at !== null ? t('applications.status_withdrawn') : status === 'rejected' ? nameOf(status) : undefined
  if (end !== undefined || status === 'hired') {
    const done = taken.map((each): Step => ({ text: nameOf(each), className: 'done' }))
    return [...done, { text: end ?? nameOf('hired'), className: end === undefined ? 'now' : 'over now' }]
  }
  const here = WAY.indexOf(status as (typeof WAY)[number])
  const steps = WAY.map((each, n): Step => {
    return { text: nameOf(each), className: n < here ? 'done' : n === here ? 'now' : '' }
  })
  return [...steps, { text: t('applications.decision'), className: '' }]
}

export function renderSteps(progress: Progress): Html {
  return html`<ol class="steps" aria-label="${t('applications.progress')}">${stepsOf(progress).map(
    ({ text, className }) =>
      className.endsWith('now')
        ? html`<li class="${className}" aria-current="step">${text}</li>`
        : html`<li class="${className}">${text}${className === 'done' && html`<span class="hide"> ${t('applications.done')}</span>`}</li>`,
  )}</ol>`
}
