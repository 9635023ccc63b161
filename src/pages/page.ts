/** A page on its way: what its layout needs to know of the request, and how it is sent. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../lib/scopes.ts'
import type { FormFields } from './forms.ts'
import type { Html } from './html.ts'
import type { SentForm } from './once.ts'

/** What a view may know beside its data. */
export interface PageContext {
  /** Public origin. */
  readonly origin: string
  /** The path that was asked for, with its query. */
  readonly path: string
  /** Who is signed in. */
  readonly actor: Actor | undefined
  readonly isRegistrationOpen: boolean
  /** Whether the board is shown from memory, as the database is away. */
  readonly isStale: boolean
  /** The token of forms; asking for it makes the page a personal one. */
  readonly csrfToken: string
  /** The key of this page's forms: each has its effect once. */
  readonly onceKey: string
  /** Leaves a sentence for the next page that is shown. */
  leaveNotice(text: string): void
  /** The sentence that was left, once. */
  takeNotice(): string | undefined
  /** Whether every visitor sees the same: nobody is signed in, and no sentence waits. */
  readonly isShared: boolean
  /** Whether there is a page at this path. */
  has(path: string): boolean
  /**
   * Whether whoever is signed in may go there, or send a form there: by the access that the page declares, so that nothing
   * is offered which is refused then. Visitors may: they are led to signing in.
   */
  may(method: 'GET' | 'POST', path: string): boolean
  /** The address of a file in `assets/`. */
  asset(name: string): string
}

declare module 'fastify' {
  interface FastifyRequest {
    page: PageContext
    /** The fields of the form that was sent. */
    form: FormFields
    /** Set where the form has a key. */
    once: SentForm | null
  }
  interface FastifyReply {
    /** Whether what is answered is for this visitor only. */
    isPersonal: boolean
  }
}

/** Files of our own and nothing else: no other host, no inline script or style, no frame. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** The headers of every answer of the pages. */
export function protectPage(reply: FastifyReply): FastifyReply {
  return reply
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .header('x-frame-options', 'DENY')
    .header('referrer-policy', 'same-origin')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('vary', 'accept-encoding, cookie')
}

/** Sends a page; one for this visitor only is stored nowhere. */
export function showPage(reply: FastifyReply, page: Html, status = 200): FastifyReply {
  const isPersonal = reply.isPersonal || reply.request.page.actor !== undefined
  return protectPage(reply)
    .code(status)
    .header('cache-control', isPersonal || status >= 400 ? 'no-store' : 'private, no-cache')
    .type('text/html; charset=utf-8')
    .send(page.toString())
}

/** Leads on with GET after something was done, with a sentence about it for the next page. */
export function seeOther(reply: FastifyReply, path: string, notice?: string): FastifyReply {
  if (notice !== undefined) reply.request.page.leaveNotice(notice)
  return reply.header('cache-control', 'no-store').redirect(path, 303)
}

/** Who is signed in: on pages that are not public there is somebody. */
export function signedIn({ page }: FastifyRequest): Actor {
  if (!page.actor) throw new Error('This page is open to visitors')
  return page.actor
}
