export { findRates } from './currency-rates.queries.ts'
export { LiveRates } from './currency-rates.service.ts'
