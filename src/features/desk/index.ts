export { registerDeskPages } from './desk.pages.ts'
