import { actionButton, badge, dataTable, moment, type Tone } from '../../pages/components.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import type { Task } from './tasks.schemas.ts'

const states: Record<NonNullable<Task['run']>['state'], { text: string; tone: Tone }> = {
  waiting: { text: 'Waiting', tone: 'plain' },
  running: { text: 'Running', tone: 'accent' },
  done: { text: 'Done', tone: 'good' },
  failed: { text: 'Failed', tone: 'bad' },
}

const pauseOf = (seconds: number) =>
  seconds < 60 ? `${seconds} s` : seconds < 3_600 ? `${seconds / 60} min` : `${seconds / 3_600} h`

export function renderTasks(page: PageContext, tasks: readonly Task[]): Html {
  return htmlPage(page, { title: 'Tasks' })`<h1>Tasks</h1>
<p class="lead">Background tasks run automatically. Run a task now if you do not want to wait.${page.has('/desk/queues') && html` See also <a href="/desk/queues">Queues</a>.`}</p>
${dataTable('Tasks', { rows: tasks }, ({ name, every_seconds, last_done_at, last_failed_at, error, run }) => ({
  Task: [
    html`<b>${name}</b>`,
    error !== null && (last_done_at ?? '') < (last_failed_at ?? '') && html`<br><code class="small">${error}</code>`,
  ],
  Every: pauseOf(every_seconds),
  'Last run': last_done_at ? moment(last_done_at) : html`<span class="soft">none yet</span>`,
  'Last manual run': run === null ? '–' : renderRun(run),
  Run: actionButton(page, { action: `/desk/tasks/${name}/run`, text: 'Run now' }),
}))}`
}

const renderRun = ({ requested_at, state, error }: NonNullable<Task['run']>) => [
  moment(requested_at),
  ' ',
  badge(states[state].text, states[state].tone),
  error !== null && html`<br><code class="small">${error}</code>`,
]
