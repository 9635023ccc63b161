import { actionButton, badge, moment, type Tone, table } from '../../pages/components.ts'
import { deskTabs } from '../../pages/desk.ts'
import { type Html, html } from '../../pages/html.ts'
import { renderDocument } from '../../pages/layout.ts'
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
  return renderDocument(
    page,
    { title: 'Tasks' },
    html`${deskTabs(page)}
<h1>Tasks</h1>
<p class="lead">Background tasks run automatically. Run one now if you do not want to wait. See also <a href="/desk/queues">Queues</a>.</p>
${table(
  'Tasks',
  [
    {
      title: 'Task',
      cell: ({ name, error, last_failed_at, last_done_at }: Task) => [
        html`<b>${name}</b>`,
        error !== null &&
          (last_done_at ?? '') < (last_failed_at ?? '') &&
          html`<br><code class="small">${error}</code>`,
      ],
    },
    { title: 'Every', cell: ({ every_seconds }: Task) => pauseOf(every_seconds) },
    {
      title: 'Last run',
      cell: ({ last_done_at }: Task) =>
        last_done_at ? moment(last_done_at) : html`<span class="soft">none yet</span>`,
    },
    {
      title: 'Last manual run',
      cell: ({ run }: Task) =>
        run === null
          ? '–'
          : [
              moment(run.requested_at),
              ' ',
              badge(states[run.state].text, states[run.state].tone),
              run.error !== null && html`<br><code class="small">${run.error}</code>`,
            ],
    },
    {
      title: 'Run',
      cell: ({ name }: Task) => actionButton(page, { action: `/desk/tasks/${name}/run`, text: 'Run now' }),
    },
  ],
  tasks,
)}`,
  )
}
