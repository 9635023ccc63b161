export { registerUnsubscribe } from './unsubscribe.pages.ts'
