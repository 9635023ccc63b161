export { Registration } from './registration.service.ts'
