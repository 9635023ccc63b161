/** A real OpenID provider on loopback. It signs in `state.person`, without a form. */
import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

export const CLIENT = { id: 'board', secret: 'a secret that only tests know' }

export interface Identity {
  email: string
  email_verified: boolean
  given_name?: string
  family_name?: string
}

/** Starts a provider for a board with this origin. */
export async function startProvider(origin: string) {
  const server = createServer((request, response) => {
    // A test can set the ID token, to simulate a provider that impersonates another.
    if (request.url === '/token' && state.token) {
      response.setHeader('content-type', 'application/json')
      return response.end(JSON.stringify({ access_token: 'x', token_type: 'Bearer', id_token: state.token }))
    }
    return provider.callback()(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const state = { person: { email: '', email_verified: true } as Identity, token: undefined as string | undefined }
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${origin}/sign-in/oidc/callback`],
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' } as never] },
    cookies: { keys: ['only for tests'] },
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/person/${uid}` },
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 3_600, Interaction: 600, Session: 600, Grant: 600 },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...state.person }) }),
  })
  provider.use(async (context, next) => {
    if (!context.path.startsWith('/person/')) return next()
    const grant = new provider.Grant({ accountId: state.person.email, clientId: CLIENT.id })
    grant.addOIDCScope('openid email profile')
    const result = {
      login: { accountId: state.person.email, remember: false },
      consent: { grantId: await grant.save() },
    }
    await provider.interactionFinished(context.req, context.res, result)
    context.respond = false
  })
  return {
    issuer,
    state,
    /** Signs an ID token with a key, by default the provider's own. */
    idToken(claims: object, key = privateKey): string {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const text = `${part({ alg: 'RS256', kid: 'one' })}.${part(claims)}`
      return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}

/** Follows the provider's redirects like a browser, and returns the URL that leads back to the board. */
export async function passProvider(start: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let url = new URL(start)
  const { origin } = url
  while (url.origin === origin) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';', 1)[0]!.split('=')
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null) throw new Error(`${response.status} ${await response.text()}`)
    url = new URL(location, url)
  }
  return url
}
