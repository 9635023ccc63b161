/** Checks the proof that a domain belongs to an account. Connects only to IP addresses that webhooks may reach. */
import { createHmac } from 'node:crypto'
import { isWithin } from '../../lib/domains.ts'
import { readToken, signToken } from '../../lib/signed-token.ts'
import type { WebhookParts } from '../webhooks/index.ts'
import type { ClaimRow } from './claims.queries.ts'

type Problem = NonNullable<ClaimRow['problem']>
export type Network = Pick<WebhookParts, 'connections' | 'guard' | 'texts'>

/** Maximum time in milliseconds for reading the file, including redirects. */
const CHECK_MS = 10_000
const REDIRECTS_MAX = 3
const FILE_BYTES_MAX = 16_384
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Returns the text that the domain must publish. The text depends only on the board, the account and the domain. */
export function proofText(secret: Uint8Array, { account_id, domain }: Pick<ClaimRow, 'account_id' | 'domain'>): string {
  const mac = createHmac('sha256', secret).update(`${account_id} ${domain}`).digest()
  return `job-marketplace-verification=${mac.subarray(0, 16).toString('base64url')}`
}

export const recordOf = ({ domain }: Pick<ClaimRow, 'domain'>) => `_job-marketplace.${domain}`
export const fileOf = ({ host }: Pick<ClaimRow, 'host'>) => `https://${host}/.well-known/job-marketplace.txt`

/** Returns the token in the email. The token is valid for as long as the claim. */
export const emailToken = (secret: Uint8Array, id: string): string => signToken(secret, `claim ${id}`)

/** Returns the problem with a claim's proof, or null if the proof is valid. */
export async function checkProof(
  network: Network,
  secret: Uint8Array,
  claim: ClaimRow,
  token: string | undefined,
): Promise<Problem | null> {
  if (claim.method === 'email') {
    if (token === undefined) return 'not_found'
    return readToken(secret, token) === `claim ${claim.id}` ? null : 'mismatch'
  }
  let lines: readonly string[]
  try {
    lines = claim.method === 'dns' ? await network.texts(recordOf(claim)) : await readFile(network, claim)
  } catch {
    return 'unreachable'
  }
  if (lines.length === 0) return 'not_found'
  const text = proofText(secret, claim)
  return lines.some((line) => line.trim() === text) ? null : 'mismatch'
}

/**
 * Returns the lines of the file on the claim's host, or no lines if there is no file. Throws if the service cannot or
 * must not connect to the host, or if the host fails.
 */
async function readFile({ connections, guard }: Network, claim: ClaimRow): Promise<string[]> {
  const signal = AbortSignal.timeout(CHECK_MS)
  let url = new URL(fileOf(claim))
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    // A redirect to a host outside the domain proves nothing about the domain.
    if (!isWithin(url.hostname, claim.domain)) return []
    const fault = guard.checkUrl(url.href)
    if (fault !== undefined) throw new Error(fault)
    const connection = await connections.open(url, signal)
    try {
      const { statusCode, headers, body } = await connection.client.request({
        method: 'GET',
        path: url.pathname + url.search,
        headers: { 'user-agent': 'JobMarketplace-Claims/1', accept: 'text/plain, */*;q=0.1' },
        signal,
      })
      const { location } = headers
      if (REDIRECTS.has(statusCode) && typeof location === 'string' && URL.canParse(location, url)) {
        url = new URL(location, url)
        continue
      }
      if (statusCode >= 500) throw new Error(`The host responded with ${statusCode}.`)
      if (statusCode !== 200) return []
      return (await readStart(body)).toString().split('\n')
    } finally {
      connections.drop(connection)
    }
  }
  return []
}

/** Returns at most the first `FILE_BYTES_MAX` bytes of a file. */
async function readStart(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= FILE_BYTES_MAX) break
  }
  return Buffer.concat(chunks).subarray(0, FILE_BYTES_MAX)
}
