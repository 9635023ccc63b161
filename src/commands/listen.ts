/** A local webhook receiver for developers: registers itself, then verifies and prints the deliveries. */
import { X509Certificate } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { JobMarketplace, JobMarketplaceError, verifyWebhook } from '../../packages/client/src/index.ts'
import { type EventType, eventTypes } from '../events/catalogue.ts'
import { DAY_MS } from '../lib/time.ts'
import { originOf, readConfig } from '../main/config.ts'
import { makeLoopbackCertificate } from './certificate.ts'
import { UsageError } from './run.ts'

interface ListenOptions {
  /** Origin of the service. */
  api: string
  /** API key of the account whose events are received. */
  key: string
  events: EventType[]
  /** 0 selects any free port. */
  port: number
  /**
   * The folder that stores the certificate. Later runs use the same certificate until the day before it expires,
   * because the service must be configured to trust this certificate before the service starts.
   */
  folder: string
  print: (line: string) => void
  /** Stops listening when aborted. */
  signal: AbortSignal
}

async function certificateIn(folder: string): Promise<{ key: string; cert: string; file: string }> {
  const file = join(folder, 'webhook-listener.pem')
  const keyFile = join(folder, 'webhook-listener.key')
  const [cert, key] = await Promise.all([file, keyFile].map((path) => readFile(path, 'utf8').catch(() => undefined)))
  if (cert !== undefined && key !== undefined) {
    const end = Date.parse(new X509Certificate(cert).validTo)
    if (end - Date.now() > DAY_MS) return { key, cert, file }
  }
  const made = makeLoopbackCertificate(new Date())
  await mkdir(folder, { recursive: true })
  await writeFile(keyFile, made.key, { mode: 0o600 })
  await writeFile(file, made.cert)
  return { ...made, file }
}

/** Listens until `signal` is aborted, or until an API request fails. Returns the exit code. */
export async function listen({ api, key, events, port, folder, print, signal }: ListenOptions): Promise<number> {
  const { file, ...certificate } = await certificateIn(folder)
  let secret = ''
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const { headers } = request
    const isValid = await verifyWebhook(body, headers, secret).then(
      () => true,
      () => false,
    )
    const what = `${headers['x-service-event-type']} ${headers['x-service-event-id']}`
    print(`${isValid ? 'verified' : 'NOT VERIFIED'}  ${what}  attempt ${headers['x-service-attempt']}`)
    print(`  ${body}`)
    response.writeHead(isValid ? 200 : 401).end()
  }
  const server = createServer(certificate, (request, response) => {
    receive(request, response).catch(() => response.destroy())
  })
  const { promise: isListening, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject).listen(port, '127.0.0.1', resolve)
  await isListening
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`

  const { webhooks } = new JobMarketplace({ baseUrl: api, apiKey: key, retries: 0 })
  try {
    const { id, ...created } = await webhooks.create({ url, events, description: 'webhooks listen' })
    secret = created.secret
    print(`Listening as ${id} on ${url} (stop with Ctrl-C). If nothing arrives, start the service with`)
    print(`  WEBHOOK_ALLOW_CIDRS=127.0.0.1/32 WEBHOOK_CA_FILE=${file}`)
    if (!signal.aborted) await new Promise((ended) => signal.addEventListener('abort', ended, { once: true }))
    await webhooks.delete(id)
    print(`Removed ${id}`)
    return 0
  } catch (error) {
    if (!(error instanceof JobMarketplaceError)) throw error
    if (secret !== '') print(`Could not remove the webhook: ${error.message}`)
    else if (error.status === undefined) print(`No service responds at ${api}.`)
    else {
      print(`Could not create the webhook: ${error.message}`)
      for (const { detail } of error.errors) print(`  ${detail}`)
      print('To allow deliveries to this machine, start the service with')
      print(`  WEBHOOK_ALLOW_CIDRS=127.0.0.1/32 WEBHOOK_CA_FILE=${file}`)
    }
    return 1
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

export async function runListen(options: { key?: string; api?: string; events?: string; port: string }): Promise<void> {
  const { key, api, events, port } = options
  if (key === undefined) throw new UsageError('Pass --key or --forward.')
  const config = readConfig(process.env)
  const ending = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => ending.abort())
  process.exitCode = await listen({
    api: (api ?? originOf(config)).replace(/\/$/, ''),
    key,
    events: (events?.split(',') as EventType[] | undefined) ?? eventTypes,
    port: Number(port),
    folder: resolve(config.dataDir),
    print: console.log,
    signal: ending.signal,
  })
}
