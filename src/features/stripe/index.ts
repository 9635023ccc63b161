export { isTestKey, openStripe, type StripeApi } from './stripe.api.ts'
export { registerStripeEvents } from './stripe.routes.ts'
export { StripeHouse } from './stripe.service.ts'
export { stripeTasks } from './stripe.tasks.ts'
