import type { Database, Tx } from '../../db/database.ts'
import { noteOperatorAction } from '../../db/operator-actions.ts'
import type { Change } from '../../lib/changes.ts'
import { type BodyFault, validationFailed } from '../../lib/errors.ts'
import { Exchange, type RateTable } from '../../lib/exchange.ts'
import type { Actor } from '../../lib/scopes.ts'
import { parseTime } from '../../lib/time.ts'
import { findRates, lockRates, replaceRates } from './currency-rates.queries.ts'
import type { CurrencyRatesBody } from './currency-rates.schemas.ts'
import { shippedRates } from './shipped-rates.ts'

/** In the easternmost time zone, a day begins this long before it begins in UTC. */
const DAY_BEGINS_EARLIER_MS = 14 * 3_600_000

/**
 * Maximum age of exchange rates, in days. The page and `doctor` warn about older rates, which can differ from current
 * rates by several percent.
 */
export const RATES_AGE_MAX_DAYS = 60

/**
 * This process's copy of the exchange rates. Changes made in this process apply immediately, and changes made in other
 * processes within two seconds.
 */
export class LiveRates {
  readonly #database: Database
  readonly #defaultCurrency: string
  readonly #onChange: (exchange: Exchange) => void
  #stored = ''
  #now: Exchange

  /** Calls `onChange` immediately with the rates of the release, and then after each change. */
  constructor(database: Database, defaultCurrency: string, onChange: (exchange: Exchange) => void) {
    this.#database = database
    this.#defaultCurrency = defaultCurrency
    this.#onChange = onChange
    this.#now = new Exchange(shippedRates, defaultCurrency)
    onChange(this.#now)
  }

  /** Returns the current rates. Each change creates a new object. */
  get now(): Exchange {
    return this.#now
  }

  /**
   * Reads the stored rates. Runs at startup, once a second, after each change in this process, and when an admin opens
   * the page for exchange rates.
   */
  async refresh(): Promise<void> {
    const table = await this.#database.read(findRates)
    const stored = JSON.stringify(table)
    if (stored === this.#stored) return
    this.#stored = stored
    this.#now = new Exchange(table, this.#defaultCurrency)
    this.#onChange(this.#now)
  }

  /** Replaces all rates. `inTx` runs the change in a transaction, unless the same form has already taken effect. */
  async replace(
    change: Omit<Change<CurrencyRatesBody>, 'id'> & { actor: Actor },
    inTx: (work: (tx: Tx) => Promise<void>) => Promise<void> = this.#database.inTx,
  ): Promise<RateTable> {
    let table: RateTable | undefined
    await inTx(async (tx) => {
      table = await changeRates(tx, change)
    })
    await this.refresh()
    return table ?? this.#now.table
  }
}

async function changeRates(
  tx: Tx,
  { actor, body, faults, precondition, now }: Parameters<LiveRates['replace']>[0],
): Promise<RateTable> {
  const allFaults = [...faults, ...faultsOf(body, faults, now)]
  if (allFaults.length > 0) throw validationFailed(allFaults)
  precondition(presentRates(await lockRates(tx)))
  await replaceRates(tx, body)
  await noteOperatorAction(tx, actor, { action: 'currency_rates.replace', subject: body.as_of }, now)
  return body
}

/** Returns faults that the schema cannot detect. */
function faultsOf({ base, as_of, rates }: CurrencyRatesBody, known: readonly BodyFault[], now: Date): BodyFault[] {
  const isSound = (member: string) => !known.some(({ pointer }) => pointer.startsWith(`#/${member}`))
  const faults: BodyFault[] = []
  if (isSound('as_of') && parseTime(as_of, 'start')!.getTime() > now.getTime() + DAY_BEGINS_EARLIER_MS) {
    faults.push({ pointer: '#/as_of', code: 'invalid_range', detail: 'as_of must not be in the future.' })
  }
  if (isSound('base') && isSound('rates') && (rates[base] ?? 1) !== 1) {
    const detail = `The rate of the base currency ${base} must be 1.`
    faults.push({ pointer: `#/rates/${base}`, code: 'invalid_range', detail })
  }
  return faults
}

/** Returns the resource, with the rates in alphabetical order of currency codes. */
export function presentRates({ base, as_of, rates }: RateTable): RateTable {
  const ordered = Object.entries(rates).sort(([a], [b]) => (a < b ? -1 : 1))
  return { base, as_of, rates: Object.fromEntries(ordered) }
}
