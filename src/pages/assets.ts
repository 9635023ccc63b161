/**
 * Serves the style sheets, scripts and images of the pages, and reads them at startup. The URL of a file changes when
 * its content does.
 */
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { describeRepresentations, type Ready, sendReady } from '../http/representation.ts'
import { AppError } from '../lib/errors.ts'

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The parts of `app.css`, in order. */
const styles = [
  'tokens',
  'elements',
  'layout',
  'header',
  'forms',
  'components',
  'board',
  'hiring',
  'developers',
  'print',
]

/**
 * Removes comments and unneeded white space, which saves a third of the bytes. Both removals are safe, because no
 * string in the style sheets contains a comment mark, a brace, a semicolon or a comma.
 */
const withoutSpace = (css: string) =>
  css
    .split('/*')
    .map((part, n) => (n === 0 ? part : part.slice(part.indexOf('*/') + 2)))
    .join('')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/: (?=[^{}]*[;}])/g, ':')

/**
 * Returns the URL of the style sheet that sets the board's color. The file is named after the color, which is its only
 * content.
 */
export const accentPath = (color: string): string => `/assets/brand.${color.slice(1)}.css`
const ACCENT = /^brand\.([0-9a-f]{6})\.css$/

export class Assets {
  readonly #paths = new Map<string, string>()
  readonly #files = new Map<string, { ready: Ready; type: string }>()

  /** Reads the files of `assets/`, and the style sheets. The reference's style sheet imports the common style sheet. */
  constructor() {
    const folder = new URL('assets/', import.meta.url)
    for (const name of readdirSync(folder)) this.#add(name, readFileSync(new URL(name, folder)))
    const parts = styles.map((name) => readFileSync(new URL(`styles/${name}.css`, import.meta.url), 'utf8'))
    this.#add('app.css', Buffer.from(withoutSpace(parts.join(''))))
    const reference = readFileSync(new URL('styles/reference.css', import.meta.url), 'utf8')
    this.#add('reference.css', Buffer.from(withoutSpace(reference.replace('app.css', this.path('app.css')))))
  }

  #add(name: string, body: Buffer): void {
    const extension = extname(name)
    const type = types[extension]
    if (type === undefined) throw new Error(`${name}: unknown asset type`)
    const file = `${name.slice(0, -extension.length)}.${hash('sha256', body).slice(0, 12)}${extension}`
    this.#paths.set(name, `/assets/${file}`)
    this.#files.set(file, { ready: { body, isAskedAgain: true }, type })
  }

  readonly path = (name: string): string => {
    const path = this.#paths.get(name)
    if (path === undefined) throw new Error(`Unknown asset: ${name}`)
    return path
  }

  /** Registers the files. `app` must be a scope without other routes. */
  register(app: FastifyInstance): void {
    describeRepresentations(app, undefined)
    app.get<{ Params: { file: string } }>('/assets/:file', { config: { access: 'public' } }, (request, reply) => {
      const { file: name } = request.params
      const [, accent] = ACCENT.exec(name) ?? []
      const file = accent === undefined ? this.#files.get(name) : accentFile(accent)
      if (!file) throw new AppError('not_found')
      reply.header('cache-control', 'public, max-age=31536000, immutable')
      return sendReady(request, reply, file.ready, file.type)
    })
  }
}

const accentFile = (color: string) => ({
  ready: { body: Buffer.from(`:root{--brand:#${color}}\n`) },
  type: types['.css']!,
})
