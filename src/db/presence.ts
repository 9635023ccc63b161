/**
 * Checks on a separate connection whether the database server is reachable. Without this check, a query to an
 * unreachable server would wait 15 minutes for the TCP timeout (decision 0070).
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../lib/errors.ts'
import { isUnavailable } from './errors.ts'

/** Pause between two checks while the server is reachable, in milliseconds. */
const EVERY_MS = 500
/** Pause between two checks while the server is unreachable, in milliseconds. */
const EVERY_AWAY_MS = 200
/**
 * Duration of a check, in milliseconds, after which the server counts as silent. Reads are then served from memory if
 * possible.
 */
const SILENT_MS = 80
/**
 * Timeout of each attempt of a check, in milliseconds. If an attempt on a new connection fails, the server counts as
 * away.
 */
const ANSWER_MS = 1_000

/** A connection for checking the server. */
export interface Link {
  /** Checks the server, connecting first if necessary. */
  ask(): Promise<unknown>
  close(): void
}

export interface Presence {
  /** Whether the server is unreachable; if so, all queries are refused immediately. */
  readonly isAway: boolean
  /** Whether the server is away or has not answered the current check for `SILENT_MS`. */
  readonly isSilent: boolean
  /** Starts the checks. Before this call, the server counts as present. */
  begin(): void
  /**
   * Returns the result of `work`. If the server is silent, returns the result of `instead` unless that is undefined.
   */
  orWhileSilent<T>(work: () => Promise<T>, instead: () => T | undefined): Promise<T>
}

export class PresenceWatch implements Presence {
  readonly #open: () => Link
  readonly #onChange: (isAway: boolean) => void
  #link: Link | undefined
  #asking: Promise<void> | undefined
  #askedAt = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false
  isAway = false
  /** The error of the latest failed attempt to check the server. */
  cause: unknown

  constructor(open: () => Link, onChange: (isAway: boolean) => void) {
    this.#open = open
    this.#onChange = onChange
  }

  // Checks must not run during startup, because a failed check on a busy machine would abort startup.
  begin(): void {
    this.#wait()
  }

  get isSilent(): boolean {
    return this.isAway || (this.#asking !== undefined && performance.now() - this.#askedAt > SILENT_MS)
  }

  async orWhileSilent<T>(work: () => Promise<T>, instead: () => T | undefined): Promise<T> {
    const other = this.isSilent ? instead() : undefined
    if (other !== undefined) return other
    const result = work()
    const ended = Promise.allSettled([result])
    while (!(await endsWithin(ended, SILENT_MS))) {
      void this.#ask()
      if (await endsWithin(ended, SILENT_MS)) break
      const memory = this.isSilent ? instead() : undefined
      if (memory !== undefined) return memory
    }
    try {
      return await result
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'unavailable')) throw error
      // The pool may detect the failure before the check does.
      await this.#ask()
      const memory = this.isAway ? instead() : undefined
      if (memory === undefined) throw error
      return memory
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#link?.close()
  }

  #wait(): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#ask(), this.isAway ? EVERY_AWAY_MS : EVERY_MS)
    this.#timer.unref()
  }

  /** Runs a check, or waits for the check in progress. */
  #ask(): Promise<void> {
    if (this.#asking === undefined) {
      this.#askedAt = performance.now()
      this.#asking = this.#find().finally(() => {
        this.#asking = undefined
        this.#wait()
      })
    }
    return this.#asking
  }

  async #find(): Promise<void> {
    // If the first attempt fails, only its connection may be broken, so the second attempt opens a new connection.
    const isThere =
      (this.#link !== undefined && (await this.#answers())) || (!this.#isClosed && (await this.#answers()))
    if (this.#isClosed || isThere !== this.isAway) return
    this.isAway = !isThere
    this.#onChange(this.isAway)
  }

  async #answers(): Promise<boolean> {
    this.#link ??= this.#open()
    const link = this.#link
    let answer: 'yes' | 'no' | undefined
    const asked = link.ask().then(
      () => {
        answer = 'yes'
      },
      (error: unknown) => {
        this.cause = error
        // A server that refuses a connection because too many are open counts as present.
        answer = isUnavailable(error) && (error as { code?: string }).code !== '53300' ? 'no' : 'yes'
        this.#drop(link)
      },
    )
    if (!(await endsWithin(asked, ANSWER_MS))) {
      // Lets the event loop read responses that arrived while this thread was blocked.
      await nextTurn()
      await nextTurn()
    }
    if (answer !== undefined) return answer === 'yes'
    this.cause = new Error(`the server has not responded for ${ANSWER_MS} ms`)
    this.#drop(link)
    return false
  }

  #drop(link: Link): void {
    link.close()
    if (this.#link === link) this.#link = undefined
  }
}

/** Returns whether a promise settles within `ms` milliseconds. The promise must never reject. */
async function endsWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), ms)
  const isInTime = await Promise.race([promise.then(() => true), late])
  clearTimeout(timer)
  return isInTime
}
