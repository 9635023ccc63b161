import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { answerPost } from '../../http/idempotency.ts'
import { found } from '../../lib/errors.ts'
import { Envelope, Ref, Strict } from '../../lib/schema.ts'
import type { Kit } from '../feature.ts'
import { TaskSchema } from './tasks.schemas.ts'
import { listTasks, type RunnableTask, runTask } from './tasks.service.ts'

export interface TasksDeps extends Pick<Kit, 'database' | 'clock'> {
  /** Returns the tasks that operators can run. */
  runnableTasks: () => readonly RunnableTask[]
}

export const TaskParams = Strict({ name: Type.String({ pattern: '^[a-z-]{1,100}$' }) })

type TaskRequest = ResourceRequest<{ name: string }>

export const getTask = ({ runnableTasks }: Pick<TasksDeps, 'runnableTasks'>, { params }: TaskRequest): RunnableTask =>
  found(runnableTasks().find(({ name }) => name === params.name))

export function registerTasks(app: App, deps: TasksDeps): void {
  const { database, clock, runnableTasks } = deps

  app.get('/admin/tasks', {
    config: { access: { kinds: ['admin'], scope: 'admin:read' } },
    schema: {
      operationId: 'listTasks',
      summary: 'List background tasks with their last rounds',
      response: { 200: Strict({ data: Type.Array(Ref(TaskSchema)) }) },
    },
    handler: async () => ({ data: await database.read((db) => listTasks(db, runnableTasks())) }),
  })

  app.post('/admin/tasks/:name/runs', {
    config: {
      access: { kinds: ['admin'], scope: 'admin:write' },
      guard: async (request: TaskRequest) => getTask(deps, request),
    },
    schema: {
      operationId: 'runTask',
      summary: 'Run a background task now, in a worker process',
      params: TaskParams,
      body: Strict({}),
      response: { 202: Envelope(Ref(TaskSchema)) },
    },
    handler: async ({ actor, params }, reply) => {
      const task = getTask(deps, { actor, params })
      return answerPost(reply, database, async (tx) => ({
        headers: { location: '/v1/admin/tasks' },
        body: { data: await runTask(tx, actor, task, clock.now()) },
      }))
    },
  })
}
