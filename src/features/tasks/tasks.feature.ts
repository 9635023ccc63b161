import { isRunnable } from '../../background/runs.ts'
import { defineFeature } from '../feature.ts'
import { registerTaskPages } from './tasks.pages.ts'
import { registerTasks } from './tasks.routes.ts'
import { TaskSchema } from './tasks.schemas.ts'

export const tasks = defineFeature({
  name: 'tasks',
  isOptional: true,
  schemas: [TaskSchema],
  examples: { 'runTask.name': 'job-alerts-due' },
  navigation: [{ menu: 'desk', href: '/desk/tasks', text: 'menu.tasks', rank: 80, group: 'menu.operations' }],
  open(kit) {
    const deps = { ...kit, runnableTasks: () => kit.tasks().filter(isRunnable) }
    return {
      api: (v1) => registerTasks(v1, deps),
      pages: (pages) => registerTaskPages(pages, deps),
    }
  },
})
