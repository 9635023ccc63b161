/** An S3 server on loopback: s3rver behind a proxy that checks signatures and can fail or hang on demand. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface S3rver {
  run(): Promise<AddressInfo>
  close(): Promise<void>
}
const S3rver = createRequire(import.meta.url)('s3rver') as new (options: Record<string, unknown>) => S3rver

const KEY = 'S3RVER'
const SECRET = 'secret/with+signs'
const REGION = 'eu-1'

export class TestS3 {
  /** How the proxy treats requests. */
  mode: 'pass' | 'hang' | 'fail' = 'pass'
  /** Every completed request, as `PUT /bucket/key 200`. */
  readonly seen: string[] = []
  readonly #server: S3rver
  readonly #gate = createServer((incoming, outgoing) => void this.#answer(incoming, outgoing))
  readonly #folder: string
  #upstream = 0

  private constructor(folder: string) {
    this.#folder = folder
    this.#server = new S3rver({
      port: 0,
      address: '127.0.0.1',
      silent: true,
      directory: folder,
      configureBuckets: [{ name: 'resumes' }],
      // The proxy has already checked the signature, because s3rver's check of signature version 4 is incomplete.
      allowMismatchedSignatures: true,
    })
  }

  static async start(): Promise<TestS3> {
    const s3 = new TestS3(await mkdtemp(join(tmpdir(), 's3-')))
    s3.#upstream = (await s3.#server.run()).port
    s3.#gate.listen(0, '127.0.0.1')
    await once(s3.#gate, 'listening')
    return s3
  }

  /** Returns the value for FILES_URL. */
  url(secret = SECRET, bucket = 'resumes'): string {
    const { port } = this.#gate.address() as AddressInfo
    return `http://${KEY}:${encodeURIComponent(secret)}@127.0.0.1:${port}/${bucket}?region=${REGION}`
  }

  async stop(): Promise<void> {
    this.#gate.closeAllConnections()
    this.#gate.close()
    await this.#server.close()
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const finish = (status: number, text: string) => {
      this.seen.push(`${incoming.method} ${incoming.url} ${status}`)
      outgoing.writeHead(status, { 'content-type': 'application/xml' }).end(text)
    }
    if (this.mode === 'hang') return
    if (this.mode === 'fail') return finish(500, '<Error><Code>InternalError</Code></Error>')
    if (!isSigned(incoming, body)) return finish(403, '<Error><Code>SignatureDoesNotMatch</Code></Error>')
    const { authorization: _, ...headers } = incoming.headers
    const passed = request({
      port: this.#upstream,
      host: '127.0.0.1',
      method: incoming.method,
      path: incoming.url,
      headers,
    })
    passed.end(body)
    const [answer] = (await once(passed, 'response')) as [IncomingMessage]
    this.seen.push(`${incoming.method} ${incoming.url} ${answer.statusCode}`)
    outgoing.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(outgoing)
  }
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

/**
 * Returns whether a request without a query has a valid Authorization header (signature version 4). The signature
 * covers the body's hash.
 */
function isSigned({ method, url, headers }: IncomingMessage, body: Buffer): boolean {
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([\w;-]+), Signature=([\da-f]{64})$/.exec(
      headers.authorization ?? '',
    )
  if (!match) return false
  const [, key, day, region, names, signature] = match
  const time = String(headers['x-amz-date'])
  const hash = String(headers['x-amz-content-sha256'])
  const signed = names!.split(';')
  if (key !== KEY || region !== REGION || !time.startsWith(day!)) return false
  if (!signed.includes('host') || !signed.includes('x-amz-content-sha256') || !signed.includes('x-amz-date'))
    return false
  if (hash !== sha256(body) && !(hash === 'UNSIGNED-PAYLOAD' && body.length === 0)) return false
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('')
  const canonical = [method, url, '', lines, names, hash].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const derived = [region!, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${SECRET}`, day!))
  const expected = hmac(derived, ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n'))
  return timingSafeEqual(expected, Buffer.from(signature!, 'hex'))
}
