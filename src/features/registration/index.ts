export { registerSettingsPages } from './registration.pages.ts'
export { Registration } from './registration.service.ts'
