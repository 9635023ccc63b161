/** Claims of companies whose hosts are on loopback. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { createGuard, dnsTexts } from '../../src/features/webhooks/index.ts'
import { Connections } from '../../src/features/webhooks/webhooks.connections.ts'
import { dnsLookup } from '../../src/features/webhooks/webhooks.guard.ts'
import { type Account, type Board, expectStatus } from './board.ts'
import { mailsIn } from './mails.ts'
import { NameServer } from './name-server.ts'
import { makeCertificate, Receivers } from './receivers.ts'
import { runTask } from './tasks.ts'

/** Starts a DNS server and a web server for `*.example`, and restarts the board so that it uses them. */
export function useHosts(board: Board) {
  const names = new NameServer()
  const receivers = new Receivers()
  /** The responses of the web server: the content of a file, the target of a redirect, or a status, by URL. */
  const files = new Map<string, string | URL | number>()
  let port = 0
  beforeAll(async () => {
    const server = await names.start()
    const authority = await makeCertificate(['Authority of the tests'], { isAuthority: true })
    receivers.certificate = await makeCertificate(['*.voltaire.example', 'voltaire.example'], { authority })
    // The guard allows loopback in addition to public addresses, and blocks all other private addresses.
    const guard = createGuard({ allowCidrs: ['127.0.0.1/32'], lookup: dnsLookup([server]) })
    const real = new Connections({ guard, ca: authority.cert, connectMs: 5_000 })
    const connections = {
      open(url: URL, signal: AbortSignal) {
        const served = new URL(url)
        // Tests cannot listen on port 443.
        if (served.port === '') served.port = String(port)
        return real.open(served, signal)
      },
      drop: (connection: Parameters<typeof real.drop>[0]) => real.drop(connection),
    }
    board.network = { guard, connections, texts: dnsTexts([server]) }
    await board.restart()
  })
  beforeEach(async () => {
    const host = await receivers.https((response, { headers, path }) => {
      const file = files.get(`https://${headers.host!.split(':')[0]}${path}`) ?? 404
      if (file instanceof URL) response.writeHead(302, { location: file.href }).end()
      else if (typeof file === 'number') response.writeHead(file).end()
      else response.end(file)
    })
    port = host.port
  })
  afterEach(async () => {
    files.clear()
    await receivers.close()
  })
  afterAll(() => names.stop())
  return { names, files }
}

let count = 0

/** Registers an employer whose website has a unique domain. */
export async function companyOf(board: Board, overrides: object = {}) {
  const domain = `company-${++count}.example`
  return {
    domain,
    ...(await board.employer({ name: `Company ${count}`, website: `https://www.${domain}/jobs`, ...overrides })),
  }
}

export const claimsOf = ({ id }: Pick<Account, 'id'>) => `/v1/employers/${id}/claims`

export async function claim(board: Board, employer: Account, body: object = { method: 'dns' }) {
  return expectStatus(await board.post(claimsOf(employer), employer.key, body), 201).body.data
}

/** Checks a claim and returns it. */
export async function verify(board: Board, employer: Account, id: string, body: object = {}) {
  return expectStatus(await board.post(`${claimsOf(employer)}/${id}/verify`, employer.key, body), 200).body.data
}

/** Sends the pending emails, and returns the tokens in all emails to this email address, oldest first. */
export async function tokensTo(board: Board, address: string): Promise<string[]> {
  await runTask(board, 'mail')
  return (await mailsIn(board.config.dataDir))
    .filter(({ to }) => to?.some((each) => each.address === address))
    .flatMap(({ text }) => /\?token=(\S+)/.exec(text!)?.[1] ?? [])
}
