export { registerTaskPages } from './tasks.pages.ts'
export { registerTasks } from './tasks.routes.ts'
export { TaskSchema } from './tasks.schemas.ts'
