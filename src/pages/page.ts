/** The context of a page, and functions that send pages. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ready } from '../http/representation.ts'
import type { Brand } from '../lib/brand.ts'
import type { Actor } from '../lib/scopes.ts'
import { describePage, type PageOf, type SearchMeta } from '../lists/meta.ts'
import type { ListQuery } from '../lists/query.ts'
import type { Language } from '../locale/languages.ts'
import type { MessageKey } from '../locale/messages.ts'
import type { FormFields } from './forms.ts'
import type { Html } from './html.ts'
import type { SentForm } from './once.ts'

/**
 * The menus. The header shows `visitor` or, to signed-in users, `board` and `area`. Each area has its own menu in the
 * second row of the header: `candidate`, `employer`, `desk` and `console`. The user's name opens `account`.
 */
export type Menu = 'visitor' | 'board' | 'area' | 'candidate' | 'employer' | 'desk' | 'console' | 'account' | 'footer'

/** A link in a menu. Links with a lower rank come first. */
export interface NavigationEntry {
  menu: Menu
  href: string
  text: MessageKey
  rank: number
  /** The title of the drop-down list that contains the link. If absent, the link is in the row. */
  group?: MessageKey
}

/** Whether an action succeeded (`good`), partly succeeded or needs attention (`warn`), or failed (`bad`). */
export type NoticeTone = 'good' | 'warn' | 'bad'

/** The result of an action, which the next page shows. */
interface Notice {
  text: string
  tone: NoticeTone
}

export interface PageContext {
  readonly origin: string
  readonly brand: Brand
  /** The language of the page. */
  readonly language: Language
  /** The requested path, including the query but not the language. */
  readonly path: string
  readonly actor: Actor | undefined
  readonly isRegistrationOpen: boolean
  /** Whether the board is shown from memory because the database is unavailable. */
  readonly isStale: boolean
  /** The token that protects forms against CSRF. Reading this property marks the response as personal. */
  readonly csrfToken: string
  /** The key of this page's forms. The key lets each form take effect only once. */
  readonly onceKey: string
  /** Stores a notice for the next page. */
  leaveNotice(text: string, tone: NoticeTone): void
  /** Returns the stored notice and removes it. */
  takeNotice(): Notice | undefined
  /** Whether all visitors would see the same page: nobody is signed in, and there is no notice to show. */
  readonly isShared: boolean
  /** Returns whether a page is registered with this path, such as `/jobs/:id`. */
  has(path: string): boolean
  /**
   * Returns whether the actor may open a page or send a form, according to the route's access. Views use this function
   * to show only existing pages and allowed forms. Always returns true for visitors, because the page then asks them to
   * sign in.
   */
  may(method: 'GET' | 'POST', path: string): boolean
  /** Returns a menu's links to pages that exist and that the actor may open. */
  menu(menu: Menu): readonly NavigationEntry[]
  /**
   * Returns the path of a page in a language. The path has a prefix such as `/de`, unless the language is the board's
   * default.
   */
  inLanguage(language: Language, path: string): string
  /** Returns the path of a file that this page shows in a frame, and permits the frame. */
  frame(path: string): string
  /** Returns the versioned URL of a file in `assets/`. */
  asset(name: string): string
}

/** Everything that a page for visitors may depend on, apart from the board's data. */
export interface Reader {
  url: string
  headers: IncomingHttpHeaders
  language: Language
}

export const readerOf = ({ raw, headers, page }: FastifyRequest): Reader => ({
  ...{ url: raw.url!, headers, language: page.language },
})

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Returns the cached page for readers who are not signed in, if there is one. */
    readyPage?: (reader: Reader) => Ready | undefined
  }
  interface FastifyRequest {
    page: PageContext
    /** Fields of the submitted form. */
    form: FormFields
    /** The submitted form. Null if it has no key, or if nobody is signed in. */
    once: SentForm | null
  }
  interface FastifyReply {
    /** Whether the response is only for this visitor. */
    isPersonal: boolean
    /** Whether the page shows a file in a frame. */
    hasFrame: boolean
  }
}

/**
 * Allows only our own files: no other hosts, no inline scripts or styles, and no frames. `FRAME_POLICY` also allows
 * frames.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** Chromium loads the file of an `object` as a frame. */
const FRAME_POLICY = `${CONTENT_SECURITY_POLICY}; frame-src 'self'; object-src 'self'`

/** The headers of every page response. */
export const pageHeaders = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  vary: 'accept-encoding, accept-language, cookie',
} as const

/** Sets the headers that every page response has. `policy` replaces the content security policy. */
export function protectPage(reply: FastifyReply, policy = reply.hasFrame ? FRAME_POLICY : undefined): FastifyReply {
  reply.headers(pageHeaders)
  return policy === undefined ? reply : reply.header('content-security-policy', policy)
}

/** Sends a page. A personal page is never cached. `policy` replaces the content security policy. */
export function showPage(reply: FastifyReply, page: Html, status = 200, policy?: string): FastifyReply {
  const isPersonal = reply.isPersonal || reply.request.page.actor !== undefined
  return protectPage(reply, policy)
    .code(status)
    .header('cache-control', isPersonal || status >= 400 ? 'no-store' : 'private, no-cache')
    .type('text/html; charset=utf-8')
    .send(page.toString())
}

/** The total and page numbers of a list. Lists read with a cursor have only the total. */
export interface PageNumbers {
  total: number
  page?: number
  pages?: number
}

/** A page of a list, in the format that views receive. */
export interface Listed<Item> {
  items: readonly Item[]
  pagination: PageNumbers
  search?: SearchMeta
}

/** Returns a page of the requested list, in the format that its view receives. */
export function listed<Row, Item>(
  request: FastifyRequest,
  page: PageOf & { rows: readonly Row[] },
  present: (row: Row) => Item,
  query = request.query as ListQuery,
): Listed<Item> {
  const { pagination, search } = describePage(request.raw.url!, query, page).meta
  return { items: page.rows.map(present), pagination, ...(search && { search }) }
}

/** Redirects to a page after a change (303), optionally with a notice for that page. */
export function seeOther(reply: FastifyReply, path: string, notice?: string, tone: NoticeTone = 'good'): FastifyReply {
  if (notice !== undefined) reply.request.page.leaveNotice(notice, tone)
  return reply.header('cache-control', 'no-store').redirect(path, 303)
}

/** Returns the signed-in actor. Throws if nobody is signed in, which is possible only on pages open to visitors. */
export function signedIn({ page }: FastifyRequest): Actor {
  if (!page.actor) throw new Error('No one is signed in on this public page')
  return page.actor
}
