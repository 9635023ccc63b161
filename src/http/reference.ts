/**
 * The API reference: a page that Scalar renders from the OpenAPI document, without contacting other hosts (decision
 * 0009).
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../lib/errors.ts'
import { escapeHtml } from '../lib/html.ts'
import type { App } from './app.ts'
import { type NamedOperation, type OpenApiDocument, operationsOf } from './openapi-document.ts'
import { type Ready, sendReady } from './representation.ts'

/**
 * Turns off all Scalar features that contact other hosts: fonts, telemetry, chat and tools. Colors and fonts come from
 * the website, if there is one, and code samples from the document.
 */
const configuration = {
  url: 'openapi.json',
  theme: 'none',
  hideDarkModeToggle: true,
  hiddenClients: true,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
}

/**
 * The content security policy of the reference page. Scalar creates `<style>` elements and style attributes, and sends
 * test requests only to this API. Forms on the page submit only to the website.
 */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** The path of the script that renders the reference into the element `#reference`. */
export const REFERENCE_SCRIPT = '/v1/docs/scalar.js'

/** The pages that show the reference in the design of the website. */
export interface ReferencePages {
  showReference(request: FastifyRequest, reply: FastifyReply, document: OpenApiDocument): Promise<FastifyReply>
  showOperation(
    request: FastifyRequest,
    reply: FastifyReply,
    document: OpenApiDocument,
    operation: NamedOperation,
  ): Promise<FastifyReply>
}

/** Registers `/v1/docs`, its script and, if the service has a website, a page for each operation. */
export function registerReference(v1: App, document: () => OpenApiDocument, pages: ReferencePages | undefined): void {
  const open = { config: { access: 'public', produces: 'anything' }, schema: { hide: true } } as const
  v1.get('/docs', open, async (request, reply) => {
    if (pages) return pages.showReference(request, reply, document())
    reply.header('content-security-policy', REFERENCE_POLICY)
    return sendReady(request, reply, renderReference(document()), 'text/html; charset=utf-8')
  })
  if (pages) {
    v1.get('/docs/:operation', open, async (request, reply) => {
      const { operation: id } = request.params as { operation: string }
      const found = operationsOf(document()).find(({ operationId }) => operationId === id)
      if (!found) throw new AppError('not_found')
      return pages.showOperation(request, reply, document(), found)
    })
  }
  // Reads the 5 MB script on first use only.
  let script: Promise<Ready> | undefined
  v1.get('/docs/scalar.js', open, async (request, reply) => {
    script ??= readScript().catch((error) => {
      script = undefined
      throw error
    })
    return sendReady(request, reply, await script, 'text/javascript; charset=utf-8')
  })
}

/** Returns Scalar's script, with code that configures it and renders the page. */
async function readScript(): Promise<Ready> {
  const worker = new Worker(new URL('./reference-worker.ts', import.meta.url))
  const [scalar] = (await once(worker, 'message')) as [Uint8Array]
  // Without `jitless`, the script would try `Function('')`, which the content security policy forbids.
  const before = 'globalThis.__zod_globalConfig = { jitless: true };\n'
  const after = `\nScalar.createApiReference('#reference', ${JSON.stringify(configuration)})\n`
  return { body: Buffer.concat([Buffer.from(before), scalar, Buffer.from(after)]), isAskedAgain: true }
}

/** Renders the page of a service without a website. Browsers without JavaScript show a link to the document. */
function renderReference({ info }: OpenApiDocument): Ready {
  const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)}</title><link rel="icon" href="data:,"></head>
<body><div id="reference"></div>
<noscript><h1>${escapeHtml(info.title)} ${escapeHtml(info.version)}</h1>
<p>JavaScript is off. The <a href="openapi.json">OpenAPI document</a> describes all operations.</p></noscript>
<script src="docs/scalar.js"></script></body></html>`
  return { body: Buffer.from(body), isAskedAgain: true }
}
