import { type MessageKey, t } from '../../locale/messages.ts'
import { actionButton, badge, dataTable, moment, type Tone } from '../../pages/components.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { linkingTo, rich, sentences } from '../../pages/text.ts'
import type { Task } from './tasks.schemas.ts'

const states: Record<NonNullable<Task['run']>['state'], { text: MessageKey; tone: Tone }> = {
  waiting: { text: 'tasks.waiting', tone: 'plain' },
  running: { text: 'tasks.running', tone: 'accent' },
  done: { text: 'tasks.done', tone: 'good' },
  failed: { text: 'shared.failed', tone: 'bad' },
}

function pauseOf(seconds: number): string {
  if (seconds < 60) return t('tasks.seconds', { count: seconds })
  return seconds < 3_600 ? t('tasks.minutes', { count: seconds / 60 }) : t('tasks.hours', { count: seconds / 3_600 })
}

/** Returns whether the task's last round or requested run failed. */
const isFailing = ({ last_done_at, last_failed_at, run }: Task) =>
  (last_done_at ?? '') < (last_failed_at ?? '') ||
  (run?.state === 'failed' && (last_done_at ?? '') < (run.ended_at ?? ''))

/** Renders the tasks, failing ones first. */
export function renderTasks(page: PageContext, tasks: readonly Task[]): Html {
  const rows = tasks.toSorted((a, b) => Number(isFailing(b)) - Number(isFailing(a)))
  return htmlPage(page, { title: t('tasks.title') })`<h1>${t('tasks.title')}</h1>
<p class="lead">${sentences(t('tasks.lead'), page.has('/desk/queues') && rich('tasks.see_queues', { link: linkingTo('/desk/queues') }))}</p>
${dataTable(t('tasks.title'), { rows }, (task) => ({
  [t('tasks.task')]: [
    html`<b>${task.name}</b>`,
    isFailing(task) && [
      html` ${badge(t('shared.failed'), 'bad')}`,
      task.error !== null && html`<br><code class="small">${task.error}</code>`,
    ],
  ],
  [t('tasks.every')]: pauseOf(task.every_seconds),
  [t('tasks.last_run')]: task.last_done_at
    ? moment(task.last_done_at)
    : html`<span class="soft">${t('shared.none_yet')}</span>`,
  [t('tasks.last_manual_run')]: task.run === null ? '–' : renderRun(task.run),
  [t('tasks.run')]: actionButton(page, {
    action: `/desk/tasks/${task.name}/run`,
    text: t(isFailing(task) ? 'tasks.retry' : 'tasks.run_now'),
  }),
}))}`
}

const renderRun = ({ requested_at, state, error }: NonNullable<Task['run']>) => [
  moment(requested_at),
  ' ',
  badge(t(states[state].text), states[state].tone),
  error !== null && html`<br><code class="small">${error}</code>`,
]
