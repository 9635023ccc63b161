/** The admin page for listing background tasks with their last rounds, and for running a task. */
import type { App } from '../../http/app.ts'
import { t } from '../../locale/messages.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther } from '../../pages/page.ts'
import { getTask, TaskParams, type TasksDeps } from './tasks.routes.ts'
import { listTasks, runTask } from './tasks.service.ts'
import { renderTasks } from './tasks.views.ts'

export function registerTaskPages(pages: App, deps: TasksDeps): void {
  const { database, clock, runnableTasks } = deps
  const path = '/desk/tasks'

  pages.get(path, { config: { access: { kinds: ['admin'], scope: 'admin:read' } } }, async (request) =>
    renderTasks(request.page, await database.read((db) => listTasks(db, runnableTasks()))),
  )

  pages.post(`${path}/:name/run`, {
    config: { access: { kinds: ['admin'], scope: 'admin:write' } },
    schema: { params: TaskParams },
    handler: async (request, reply) => {
      const task = getTask(deps, request)
      await doOnce(request, database, (tx) => runTask(tx, request.actor, task, clock.now()))
      return seeOther(reply, path, t('tasks.will_run', { name: task.name }))
    },
  })
}
