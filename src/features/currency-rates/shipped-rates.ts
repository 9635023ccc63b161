import type { RateTable } from '../../lib/exchange.ts'

/**
 * The rates that apply until an admin sets other rates. The rates are approximate, were entered by hand and do not come
 * from a published source. To update them, replace all rates and the date.
 */
export const shippedRates: RateTable = {
  base: 'EUR',
  as_of: '2026-11-20',
  rates: {
    AED: 4.26,
    AUD: 1.77,
    BRL: 6.21,
    CAD: 1.63,
    CHF: 0.932,
    CNY: 8.24,
    CZK: 24.2,
    DKK: 7.47,
    GBP: 0.879,
    HKD: 9.03,
    HUF: 383,
    IDR: 19_350,
    ILS: 3.79,
    INR: 103.4,
    ISK: 147,
    JPY: 181,
    KRW: 1_702,
    MXN: 21.3,
    MYR: 4.81,
    NOK: 11.74,
    NZD: 2.05,
    PHP: 68.2,
    PLN: 4.24,
    RON: 5.09,
    SAR: 4.35,
    SEK: 10.98,
    SGD: 1.51,
    THB: 37.6,
    TRY: 51.8,
    TWD: 36.3,
    UAH: 48.9,
    USD: 1.16,
    VND: 30_550,
    ZAR: 19.9,
  },
}
