export { findRates } from './currency-rates.queries.ts'
export { LiveRates, RATES_AGE_MAX_DAYS } from './currency-rates.service.ts'
