import { AppError } from './errors.ts'

export interface PlacesOptions {
  /** In this process. */
  atOnce: number
  /** Of one account. */
  ofAccount: number
  /** Of one network. */
  ofNetwork: number
  /** What is said to those who find none. */
  refusal: string
}

interface Place {
  account: string
  network: string
  giveUp: (() => void) | undefined
}

/**
 * Places for answers that last. Where all are taken, whoever has none is given one by whoever has several, if that can be
 * given up: a few who take all that they may keep nobody out.
 */
export class Places {
  readonly #options: PlacesOptions
  /** Oldest first. */
  readonly #taken = new Set<Place>()

  constructor(options: PlacesOptions) {
    this.#options = options
  }

  /** Takes a place or throws `rate_limited`; the function that comes back leaves it. `giveUp` is called for one taken away. */
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

  /** The oldest place of an account that has others. */
  #spare(): Place | undefined {
    return [...this.#taken].find((place) => place.giveUp && this.#of('account', place.account).length > 1)
  }

  #of(member: 'account' | 'network', value: string): Place[] {
    return [...this.#taken].filter((place) => place[member] === value)
  }

  #refuse(): AppError {
    return new AppError('rate_limited', { detail: this.#options.refusal, headers: { 'retry-after': '10' } })
  }
}
