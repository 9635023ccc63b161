export { registerSite } from './site.pages.ts'
