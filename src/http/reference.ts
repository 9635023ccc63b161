/**
 * The API reference: a page that Scalar renders from the OpenAPI document, without contacting other hosts (decision
 * 0009).
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { escapeHtml } from '../lib/html.ts'
import type { App } from './app.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import { type Ready, sendReady } from './representation.ts'

/** Turns off all Scalar features that contact other hosts: fonts, telemetry, chat and tools. */
const configuration = {
  url: 'openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
}

/**
 * The content security policy. Scalar creates `<style>` elements and style attributes, and sends test requests only to
 * this API.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Registers `/v1/docs` and its script. `page` returns the current page. */
export function registerReference(v1: App, page: () => Ready): void {
  const open = { config: { access: 'public', produces: 'anything' }, schema: { hide: true } } as const
  v1.get('/docs', open, async (request, reply) => {
    reply.header('content-security-policy', POLICY)
    return sendReady(request, reply, page(), 'text/html; charset=utf-8')
  })
  // Reads the 5 MB script only when it is first requested.
  let script: Promise<Ready> | undefined
  v1.get('/docs/scalar.js', open, async (request, reply) => {
    script ??= readScript().catch((error) => {
      script = undefined
      throw error
    })
    return sendReady(request, reply, await script, 'text/javascript; charset=utf-8')
  })
}

/** Returns Scalar's script, followed by code that renders the page. */
async function readScript(): Promise<Ready> {
  const worker = new Worker(new URL('./reference-worker.ts', import.meta.url))
  const [scalar] = (await once(worker, 'message')) as [Uint8Array]
  // Without `jitless`, the script would try `Function('')`, which the content security policy forbids.
  const before = 'globalThis.__zod_globalConfig = { jitless: true };\n'
  const after = `\nScalar.createApiReference('#app', ${JSON.stringify(configuration)})\n`
  return { body: Buffer.concat([Buffer.from(before), scalar, Buffer.from(after)]), isAskedAgain: true }
}

/** Renders the page. For browsers without JavaScript, the page lists the operations. */
export function renderReference({ info, paths }: OpenApiDocument): Ready {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { summary = '' }]) => {
      const name = `${method.toUpperCase()} /v1${path}`
      return `<li><code>${escapeHtml(name)}</code> ${escapeHtml(summary)}</li>`
    }),
  )
  const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)}</title><link rel="icon" href="data:,"></head>
<body><div id="app"></div>
<noscript><h1>${escapeHtml(info.title)} ${escapeHtml(info.version)}</h1>
<p>JavaScript is off. The <a href="openapi.json">OpenAPI document</a> describes these operations in full.</p>
<ul>${operations.join('\n')}</ul></noscript>
<script src="docs/scalar.js"></script></body></html>`
  return { body: Buffer.from(body), isAskedAgain: true }
}
