export { isTestKey, openStripe, type StripeApi } from './stripe.api.ts'
export { findDueChecks } from './stripe.queries.ts'
