export { registerEvents } from './events.routes.ts'
export { describedEventTypes, eventComponents, eventWebhooks } from './events.schemas.ts'
