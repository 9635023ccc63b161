export type * from './api.ts'
export {
  type ClientOptions,
  type ClientResponse,
  JobMarketplace,
  type RequestInput,
  type RequestOptions,
} from './client.ts'
export { type ClientErrorCode, type Fault, JobMarketplaceError } from './errors.ts'
export { type VerifyOptions, verifyWebhook, type WebhookHeaders } from './webhook.ts'
