/** Counts the bytes that a request writes to storage, to charge them to its account. */
import { AsyncLocalStorage } from 'node:async_hooks'

type Count = (bytes: number) => void

const counts = new AsyncLocalStorage<Count>()

/**
 * Runs work and calls `count` with the number of bytes in each write. Writes count when they are sent, even if they
 * fail.
 */
export const countWritten = <T>(count: Count, work: () => T): T => counts.run(count, work)

/** Reports bytes stored outside the database. */
export function noteWritten(bytes: number): void {
  counts.getStore()?.(bytes)
}

/** Reports the size of a statement's parameters. */
export function noteSent(values: readonly unknown[]): void {
  counts.getStore()?.(values.reduce<number>((sum, value) => sum + bytesOf(value), 0))
}

/** Estimated size of numbers, dates and similar values, in bytes. */
const SCALAR_BYTES = 8

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (value instanceof Uint8Array) return value.length
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + bytesOf(item), 0)
  return SCALAR_BYTES
}
