import { AppError } from './errors.ts'

export interface ByteTurnsOptions {
  /** Maximum number of bytes held at the same time. */
  total: number
  /** Maximum number of bytes that one account holds at the same time. Work that needs more can never run. */
  each: number
  /** Maximum wait for memory before work is refused, in milliseconds. */
  waitMs: number
  /** Maximum number of waiting work items across all accounts. Further work is refused immediately. */
  waitingMax: number
  /** Maximum number of waiting work items per account. */
  waitingMaxEach: number
}

interface Waiting {
  bytes: number
  begin(): void
}

/**
 * Limits the total memory held by concurrent work. Accounts take turns, so an account with a lot of work does not delay
 * others.
 */
export class ByteTurns {
  readonly #options: ByteTurnsOptions
  #held = 0
  #waiting = 0
  readonly #heldBy = new Map<string, number>()
  /** Waiting work by account, starting with the account that has waited longest for a turn. */
  readonly #queues = new Map<string, Waiting[]>()

  constructor(options: ByteTurnsOptions) {
    this.#options = options
  }

  get total(): number {
    return this.#options.total
  }

  get held(): number {
    return this.#held
  }

  get waiting(): number {
    return this.#waiting
  }

  /**
   * Resolves when it is the account's turn and the bytes are free. The caller must call `release` after the work. If
   * the wait or the queue is too long, throws `rate_limited` when the account's own work is the cause, otherwise
   * `unavailable`. If `signal` aborts the wait, throws its reason.
   */
  async take(account: string, bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { waitMs, waitingMax, waitingMaxEach } = this.#options
    const queue = this.#queues.get(account) ?? []
    if (queue.length >= waitingMaxEach) throw ownUploads()
    if (this.#waiting >= waitingMax) throw othersUploads()
    this.#queues.set(account, queue)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = (error: unknown) => {
      this.#remove(account, waiting)
      end()
      reject(error)
      // Other waiting work may need fewer bytes and now fit.
      this.#beginNext()
    }
    const leave = () => giveUp(signal.reason)
    const timer = setTimeout(() => giveUp(this.#heldBy.has(account) ? ownUploads() : othersUploads()), waitMs)
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
    }
    const waiting: Waiting = {
      bytes,
      begin() {
        end()
        resolve()
      },
    }
    signal.addEventListener('abort', leave)
    queue.push(waiting)
    this.#waiting++
    this.#beginNext()
    return promise
  }

  /** Releases bytes and starts waiting work that now fits. */
  release(account: string, bytes: number): void {
    this.#held -= bytes
    const left = this.#heldBy.get(account)! - bytes
    if (left === 0) this.#heldBy.delete(account)
    else this.#heldBy.set(account, left)
    this.#beginNext()
  }

  /**
   * Returns whether any waiting work could use the bytes that the account holds. Work of other accounts cannot use them
   * if those accounts have reached their own limits.
   */
  isWanted(account: string): boolean {
    for (const [other, [first]] of this.#queues)
      if (other === account || this.#mayHold(other, first!.bytes)) return true
    return false
  }

  #mayHold(account: string, bytes: number): boolean {
    return (this.#heldBy.get(account) ?? 0) + bytes <= this.#options.each
  }

  #remove(account: string, waiting: Waiting): void {
    const queue = this.#queues.get(account)!
    queue.splice(queue.indexOf(waiting), 1)
    if (queue.length === 0) this.#queues.delete(account)
    this.#waiting--
  }

  #beginNext(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const [account, waiting] = next
      this.#remove(account, waiting)
      // Moves the account to the end of the queue.
      const queue = this.#queues.get(account)
      if (queue && this.#queues.delete(account)) this.#queues.set(account, queue)
      this.#held += waiting.bytes
      this.#heldBy.set(account, (this.#heldBy.get(account) ?? 0) + waiting.bytes)
      waiting.begin()
    }
  }

  /**
   * Returns the next waiting work if enough bytes are free for it. Smaller work must not overtake larger work, which
   * could otherwise wait forever.
   */
  #next(): [string, Waiting] | undefined {
    for (const [account, [first]] of this.#queues) {
      if (!this.#mayHold(account, first!.bytes)) continue
      return this.#held + first!.bytes <= this.#options.total ? [account, first!] : undefined
    }
    return undefined
  }
}

const headers = { 'retry-after': '5' }
const ownUploads = () =>
  new AppError('rate_limited', {
    detail:
      'The budget "upload-bytes" is in use by other uploads of this account. Send fewer uploads at the same time.',
    words: { key: 'problem.upload_busy' },
    headers,
  })
const othersUploads = () =>
  new AppError('unavailable', {
    detail: 'Too many uploads are in progress.',
    words: { key: 'problem.upload_busy' },
    headers,
  })
