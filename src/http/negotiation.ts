/**
 * Negotiates media types (Accept) and content encodings (Accept-Encoding) according to RFC 9110, sections 12.5.1 and
 * 12.5.3.
 */
import type { FastifyInstance } from 'fastify'
import { AppError } from '../lib/errors.ts'
import { remembering } from '../lib/remember.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on routes that return something other than JSON. Such routes ignore Accept. */
    produces?: 'anything'
    /** Set on routes that can return this media type instead of JSON. Clients that accept only this type get no 406. */
    alternative?: string
  }
}

interface Choice {
  value: string
  /** From 0 (not acceptable) to 1. */
  quality: number
}

/** Maximum number of alternatives to read from a header. Real clients send fewer. */
const CHOICES_MAX = 50

function choicesOf(header: string): Choice[] {
  return header
    .split(',', CHOICES_MAX)
    .map((part) => {
      const [value = '', ...parameters] = part.split(';')
      const quality = parameters
        .map((parameter) => parameter.trim().toLowerCase())
        .find((text) => text.startsWith('q='))
      const number = quality === undefined ? 1 : Number(quality.slice(2))
      // Treats an invalid quality value as 1 instead of refusing the request.
      return { value: value.trim().toLowerCase(), quality: number >= 0 && number <= 1 ? number : 1 }
    })
    .filter(({ value }) => value !== '')
}

/** Returns whether an Accept header allows JSON. Without the header, any type is acceptable. */
export function takesJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return true
  const choices = choicesOf(accept)
  if (choices.length === 0) return true
  return qualityOf('application/json', choices) > 0
}

/** Returns the quality of a media type. The most specific range takes precedence. */
function qualityOf(type: string, choices: readonly Choice[]): number {
  for (const range of [type, `${type.split('/')[0]}/*`, '*/*']) {
    const found = choices.filter(({ value }) => value === range)
    if (found.length > 0) return Math.max(...found.map(({ quality }) => quality))
  }
  return 0
}

/** Returns whether an Accept header prefers a media type to JSON. */
export function prefersToJson(type: string, accept: string | undefined): boolean {
  if (accept === undefined) return false
  const choices = choicesOf(accept)
  return qualityOf(type, choices) > qualityOf('application/json', choices)
}

/** Returns whether an Accept header explicitly allows HTML. Browsers send such headers. */
export function takesHtml(accept: string | undefined): boolean {
  return accept !== undefined && choicesOf(accept).some(({ value, quality }) => value === 'text/html' && quality > 0)
}

/**
 * Responds 406 on the JSON routes of this scope if Accept excludes JSON. Errors for unknown paths and methods take
 * precedence.
 */
export function refuseOtherTypes(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { accept } = request.headers
    const { produces, alternative } = request.routeOptions.config
    if (takesJson(accept) || request.is404 || produces === 'anything') return done()
    if (alternative !== undefined && prefersToJson(alternative, accept)) return done()
    done(new AppError('not_acceptable', { detail: 'The response is application/json, which Accept does not allow.' }))
  })
}

export type Coding = 'br' | 'gzip'

/** Caches the results, because parsing a header takes as long as authentication. */
const codings = remembering<Coding | undefined>()

/** Returns the supported encoding that an Accept-Encoding header prefers, if any. */
export function codingOf(header: string | string[] | undefined): Coding | undefined {
  if (header === undefined || header === 'identity') return undefined
  const text = String(header)
  return codings(text, () => chooseCoding(choicesOf(text)))
}

function chooseCoding(choices: readonly Choice[]): Coding | undefined {
  const qualityOf = (...names: string[]) =>
    choices.find(({ value }) => names.includes(value))?.quality ??
    choices.find(({ value }) => value === '*')?.quality ??
    0
  const [br, gzip] = [qualityOf('br'), qualityOf('gzip', 'x-gzip')]
  if (br === 0 && gzip === 0) return undefined
  return br >= gzip ? 'br' : 'gzip'
}
