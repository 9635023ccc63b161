/** The context of a page: the layout's data about the request, and how pages are sent. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccountKind } from '../lib/api-keys.ts'
import type { Actor } from '../lib/scopes.ts'
import type { FormFields } from './forms.ts'
import type { Html } from './html.ts'
import type { SentForm } from './once.ts'

/** The menus: one per account kind, and those of the footer, the console and the admin area. */
export type Menu = AccountKind | 'visitor' | 'footer' | 'console' | 'desk'

/** A link in a menu. Lower ranks come first. */
export interface NavigationEntry {
  menu: Menu
  href: string
  text: string
  rank: number
}

/** Data of the request for views. */
export interface PageContext {
  /** Public origin. */
  readonly origin: string
  /** Requested path with its query. */
  readonly path: string
  /** The signed-in actor, if any. */
  readonly actor: Actor | undefined
  readonly isRegistrationOpen: boolean
  /** True if the board is shown from memory because the database is down. */
  readonly isStale: boolean
  /** Token of forms. Reading it makes the page personal. */
  readonly csrfToken: string
  /** Key of this page's forms. Each form has its effect only once. */
  readonly onceKey: string
  /** Stores a notice for the next page. */
  leaveNotice(text: string): void
  /** Returns the stored notice, once. */
  takeNotice(): string | undefined
  /** True if every visitor sees the same: nobody is signed in, and no notice waits. */
  readonly isShared: boolean
  /** Returns whether a page exists at this path. */
  has(path: string): boolean
  /**
   * Returns whether the actor may open a page or send a form, by the access that the route declares. Views offer
   * nothing that would be refused or is missing. Visitors always may, because they are asked to sign in.
   */
  may(method: 'GET' | 'POST', path: string): boolean
  /** Returns the links of a menu that lead to existing pages that the actor may open. */
  menu(menu: Menu): readonly NavigationEntry[]
  /** Returns the URL of a file in `assets/`. */
  asset(name: string): string
}

declare module 'fastify' {
  interface FastifyRequest {
    page: PageContext
    /** Fields of the submitted form. */
    form: FormFields
    /** Set if the form has a key. */
    once: SentForm | null
  }
  interface FastifyReply {
    /** True if the response is for this visitor only. */
    isPersonal: boolean
  }
}

/** Only our own files: no other host, no inline script or style, no frame. */
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

/** Sets the headers of every page response. */
export function protectPage(reply: FastifyReply): FastifyReply {
  return reply
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .header('x-frame-options', 'DENY')
    .header('referrer-policy', 'same-origin')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('vary', 'accept-encoding, cookie')
}

/** Sends a page. A personal page is never cached. */
export function showPage(reply: FastifyReply, page: Html, status = 200): FastifyReply {
  const isPersonal = reply.isPersonal || reply.request.page.actor !== undefined
  return protectPage(reply)
    .code(status)
    .header('cache-control', isPersonal || status >= 400 ? 'no-store' : 'private, no-cache')
    .type('text/html; charset=utf-8')
    .send(page.toString())
}

/** Redirects with GET after a change, with a notice for the next page. */
export function seeOther(reply: FastifyReply, path: string, notice?: string): FastifyReply {
  if (notice !== undefined) reply.request.page.leaveNotice(notice)
  return reply.header('cache-control', 'no-store').redirect(path, 303)
}

/** Returns the signed-in actor. Throws on pages that visitors can open. */
export function signedIn({ page }: FastifyRequest): Actor {
  if (!page.actor) throw new Error('This page is open to visitors')
  return page.actor
}
