export { registerEvents } from './events.routes.ts'
export { eventComponents, eventWebhooks } from './events.schemas.ts'
