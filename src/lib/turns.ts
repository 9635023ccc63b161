import { AppError } from './errors.ts'

/** Lets so much work go on at a time; so much more waits its turn, first come first served, and the rest is refused. */
export class Turns {
  #free: number
  readonly #waitingMax: number
  readonly #waiting: (() => void)[] = []

  constructor(atOnce: number, waitingMax: number) {
    this.#free = atOnce
    this.#waitingMax = waitingMax
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else if (this.#waiting.length < this.#waitingMax) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else throw new AppError('unavailable', { headers: { 'retry-after': '2' } })
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}
