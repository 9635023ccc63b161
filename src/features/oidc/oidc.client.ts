/** The client of the operator's OpenID provider (decision 0126). */
import type { Configuration, IDToken, UserInfoResponse } from 'openid-client'
import type { AccountKind } from '../../lib/api-keys.ts'

export interface OidcSettings {
  issuer: URL
  clientId: string
  clientSecret: string
  /** Name of the provider on the button. */
  name: string
  /** The kinds of accounts to which the provider may sign people in. */
  kinds: readonly AccountKind[]
}

/** The secrets of one sign-in, which only the visitor's browser stores. */
export interface Attempt {
  state: string
  nonce: string
  verifier: string
}

/** How long the provider's metadata is cached, in milliseconds. */
const DISCOVERED_MS = 3_600_000
/** Maximum duration of a request to the provider, in seconds. */
const TIMEOUT_S = 10
/** Maximum difference between a token's issue time and the current time, in milliseconds. */
const SKEW_MS = 5 * 60_000

const library = () => import('openid-client')

export class OidcClient {
  readonly #settings: OidcSettings
  readonly #callback: string
  #discovered: { at: number; configuration: Promise<Configuration> } | undefined

  constructor(settings: OidcSettings, callback: string) {
    this.#settings = settings
    this.#callback = callback
  }

  #configuration(now: Date): Promise<Configuration> {
    const at = now.getTime()
    if (this.#discovered && at - this.#discovered.at < DISCOVERED_MS) return this.#discovered.configuration
    const configuration = this.#discover()
    this.#discovered = { at, configuration }
    configuration.catch(() => {
      this.#discovered = undefined
    })
    return configuration
  }

  async #discover(): Promise<Configuration> {
    const { allowInsecureRequests, ClientSecretBasic, discovery, enableNonRepudiationChecks } = await library()
    const { issuer, clientId, clientSecret } = this.#settings
    // The configuration permits http only for a provider on this machine.
    const execute = [enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : [])]
    return discovery(issuer, clientId, undefined, ClientSecretBasic(clientSecret), { execute, timeout: TIMEOUT_S })
  }

  /** Returns a new attempt, and the URL at the provider where the person signs in. */
  async begin(now: Date): Promise<{ attempt: Attempt; url: string }> {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier, randomState } =
      await library()
    const attempt = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() }
    const url = buildAuthorizationUrl(await this.#configuration(now), {
      redirect_uri: this.#callback,
      scope: 'openid email profile',
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
    })
    return { attempt, url: url.href }
  }

  /** Exchanges the code in a callback for the person's claims. Throws if anything in the response is invalid. */
  async finish(attempt: Attempt, query: string, now: Date): Promise<IDToken | UserInfoResponse> {
    const { authorizationCodeGrant, fetchUserInfo } = await library()
    const configuration = await this.#configuration(now)
    const tokens = await authorizationCodeGrant(configuration, new URL(`${this.#callback}?${query}`), {
      pkceCodeVerifier: attempt.verifier,
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      idTokenExpected: true,
    })
    const claims = tokens.claims()!
    // Checks that the token has just been issued, because the library checks only that it has not expired.
    if (Math.abs(claims.iat * 1_000 - now.getTime()) > SKEW_MS)
      throw new Error('The issue time of the ID token differs from the current time by more than five minutes')
    return claims.email === undefined ? fetchUserInfo(configuration, tokens.access_token, claims.sub) : claims
  }
}
