export { isTestKey, openStripe, type StripeApi } from './stripe.api.ts'
