import { type RawBuilder, sql } from 'kysely'
import type { Reader, Tx } from './database.ts'

/** A raw SQL statement. Each method runs it. */
class Statement<Row extends object> {
  readonly #sql: RawBuilder<Row>

  constructor(builder: RawBuilder<Row>) {
    this.#sql = builder
  }

  /** Returns all rows. */
  async all(reader: Reader): Promise<Row[]> {
    return (await this.#sql.execute(reader)).rows
  }

  /** Returns the first row, or undefined if there are no rows. */
  async first(reader: Reader): Promise<Row | undefined> {
    return (await this.all(reader))[0]
  }

  /** Returns the row of a statement that always returns exactly one row, such as a count. */
  async one(reader: Reader): Promise<Row> {
    return (await this.all(reader))[0]!
  }

  /** Like `all`, but returns the values of the only column. */
  async allValues(reader: Reader): Promise<Row[keyof Row][]> {
    return (await this.all(reader)).map((row) => Object.values(row)[0])
  }

  /** Like `first`, but returns the value of the only column. */
  async firstValue(reader: Reader): Promise<Row[keyof Row] | undefined> {
    return (await this.allValues(reader))[0]
  }

  /** Like `one`, but returns the value of the only column. */
  async oneValue(reader: Reader): Promise<Row[keyof Row]> {
    return (await this.allValues(reader))[0] as Row[keyof Row]
  }

  /** Returns a map from the values of one column to the values of another. */
  async toMap<K extends keyof Row, V extends keyof Row>(
    reader: Reader,
    key: K,
    value: V,
  ): Promise<Map<Row[K], Row[V]>> {
    return new Map((await this.all(reader)).map((row) => [row[key], row[value]]))
  }

  /** Returns whether there are any rows. */
  async exists(reader: Reader): Promise<boolean> {
    return (await this.all(reader)).length > 0
  }

  /** Returns the number of rows that the statement inserted, updated or deleted. */
  async affected(tx: Tx): Promise<number> {
    return Number((await this.#sql.execute(tx)).numAffectedRows)
  }

  /** Returns whether the statement inserted, updated or deleted any rows. */
  async changed(tx: Tx): Promise<boolean> {
    return (await this.affected(tx)) > 0
  }
}

/** Tags a statement whose result the caller needs. For all other SQL, use Kysely's `sql`. */
export function statement<Row extends object>(strings: TemplateStringsArray, ...values: unknown[]): Statement<Row> {
  return new Statement(sql<Row>(strings, ...values))
}
