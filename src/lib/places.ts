import { AppError } from './errors.ts'

export interface PlacesOptions {
  /** Maximum number of slots in this process. */
  atOnce: number
  /** Maximum number of slots per account. */
  ofAccount: number
  /** Maximum number of slots per network. */
  ofNetwork: number
  /** Detail of the error that a refused caller receives. */
  refusal: string
}

interface Place {
  account: string
  network: string
  giveUp: (() => void) | undefined
}

/**
 * Slots for long-lived responses. If all slots are taken, an account without a slot takes over a revocable slot from an
 * account that has several. Thus a few busy accounts cannot lock out others.
 */
export class Places {
  readonly #options: PlacesOptions
  /** Oldest first. */
  readonly #taken = new Set<Place>()
  readonly #ending = new AbortController()

  constructor(options: PlacesOptions) {
    this.#options = options
  }

  /**
   * Takes a slot, or throws `rate_limited`. The returned function releases the slot. A slot with `giveUp` is revocable;
   * `giveUp` is called when the slot is revoked.
   */
  take(account: string, network: string, giveUp?: () => void): () => void {
    const { atOnce, ofAccount, ofNetwork } = this.#options
    const mine = this.#of('account', account)
    if (mine.length >= ofAccount || this.#of('network', network).length >= ofNetwork) throw this.#refuse()
    if (this.#taken.size >= atOnce) {
      const given = mine.length === 0 ? this.#spare() : undefined
      if (!given) throw this.#refuse()
      this.#taken.delete(given)
      given.giveUp!()
    }
    const place = { account, network, giveUp }
    this.#taken.add(place)
    return () => this.#taken.delete(place)
  }

  /**
   * Takes a revocable slot, or throws `rate_limited`. `leave` releases the slot, and `signal` aborts when another
   * account takes the slot or the service stops.
   */
  enter(account: string, network: string): { leave: () => void; signal: AbortSignal } {
    const taken = new AbortController()
    const leave = this.take(account, network, () => taken.abort())
    return { leave, signal: AbortSignal.any([this.#ending.signal, taken.signal]) }
  }

  /** Ends all responses whose slots were taken with `enter`. */
  end(): void {
    // The default reason is an error, whose stack would keep the stopped service in memory.
    this.#ending.abort('ended')
  }

  /** Returns the oldest revocable slot of an account with more than one slot. */
  #spare(): Place | undefined {
    const counts = new Map<string, number>()
    for (const { account } of this.#taken) counts.set(account, (counts.get(account) ?? 0) + 1)
    return [...this.#taken].find(({ giveUp, account }) => giveUp && counts.get(account)! > 1)
  }

  #of(member: 'account' | 'network', value: string): Place[] {
    return [...this.#taken].filter((place) => place[member] === value)
  }

  #refuse(): AppError {
    return new AppError('rate_limited', { detail: this.#options.refusal, headers: { 'retry-after': '10' } })
  }
}
