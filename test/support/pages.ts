/** A client of the pages without JavaScript. It keeps cookies, follows redirects and submits forms like a browser. */
import { type HTMLElement, parse } from 'node-html-parser'
import type { Account, Board } from './board.ts'

export class Page {
  readonly status: number
  readonly headers: Headers
  /** The path of the final response, after redirects. */
  readonly path: string
  readonly text: string
  #document: HTMLElement | undefined

  constructor({ status, headers }: Response, path: string, text: string) {
    this.status = status
    this.headers = headers
    this.path = path
    this.text = text
  }

  /** Parsed only for tests that read it, because parsing takes longer than the request. */
  get document(): HTMLElement {
    this.#document ??= parse(this.text)
    return this.#document
  }

  /** All text, including hidden text, with white space collapsed. */
  get seen(): string {
    return this.document.textContent.replace(/\s+/g, ' ').trim()
  }
}

export type Fields = Readonly<Record<string, string | File | readonly string[]>>

export class Visitor {
  readonly #board: Board
  readonly #cookies = new Map<string, string>()

  constructor(board: Board) {
    this.#board = board
  }

  get cookies(): ReadonlyMap<string, string> {
    return this.#cookies
  }

  setCookie(name: string, value: string): void {
    this.#cookies.set(name, value)
  }

  /** Sends one request without following redirects. */
  async send(method: string, path: string, init: RequestInit = {}): Promise<Page> {
    await this.#board.alternate()
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(`${this.#board.address}${path}`, {
      ...init,
      method,
      redirect: 'manual',
      headers: { accept: 'text/html,*/*;q=0.8', ...(cookie !== '' && { cookie }), ...(init.headers as object) },
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0/.test(line)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return new Page(response, path, await response.text())
  }

  /** Opens a page and follows redirects. */
  async get(path: string): Promise<Page> {
    return this.#follow(await this.send('GET', path))
  }

  /** Submits the form with this action. Fields that are not given keep their displayed values. */
  async submit(page: Page, action: string, fields: Fields = {}): Promise<Page> {
    const form = page.document.querySelector(`form[action="${action}"]`)
    if (!form) throw new Error(`${page.path} has no form for ${action}: ${page.seen}`)
    return this.post(action, { ...shownFields(form), ...fields })
  }

  /** Posts fields and follows redirects. */
  async post(path: string, fields: Fields = {}): Promise<Page> {
    return this.#follow(await this.send('POST', path, { body: encode(fields) }))
  }

  /** Returns this visitor's form token. */
  async csrfToken(): Promise<string> {
    const page = await this.send('GET', '/sign-in')
    return page.document.querySelector('input[name="_csrf"]')!.getAttribute('value')!
  }

  async signIn({ key }: Pick<Account, 'key'>): Promise<this> {
    const page = await this.submit(await this.get('/sign-in'), '/sign-in/key', { api_key: key })
    if (page.status !== 200) throw new Error(`Not signed in: ${page.seen}`)
    return this
  }

  async #follow(page: Page): Promise<Page> {
    const location = page.headers.get('location')
    return [301, 303].includes(page.status) && location?.startsWith('/') ? this.get(location) : page
  }
}

/** Encodes fields as multipart/form-data if they contain a file, and URL-encoded otherwise. */
function encode(fields: Fields): URLSearchParams | FormData {
  const pairs = Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string | File] => [name, value as string | File]),
  )
  if (!pairs.some(([, value]) => value instanceof File)) return new URLSearchParams(pairs as [string, string][])
  const form = new FormData()
  for (const [name, value] of pairs) form.append(name, value)
  return form
}

/** Returns the values that a browser would submit for an unchanged form. */
export function shownFields(form: HTMLElement): Record<string, string[]> {
  const fields: Record<string, string[]> = {}
  for (const element of form.querySelectorAll('input, select, textarea')) {
    const name = element.getAttribute('name')
    const type = element.getAttribute('type')
    if (!name || type === 'submit' || type === 'file') continue
    if ((type === 'checkbox' || type === 'radio') && !element.hasAttribute('checked')) continue
    fields[name] ??= []
    if (element.tagName === 'TEXTAREA') fields[name].push(element.textContent.replace(/^\n/, ''))
    else if (element.tagName === 'SELECT') {
      const options = element.querySelectorAll('option')
      const chosen = options.filter((option) => option.hasAttribute('selected'))
      const sent = chosen.length > 0 || element.hasAttribute('multiple') ? chosen : options.slice(0, 1)
      fields[name].push(...sent.map((option) => option.getAttribute('value') ?? option.textContent))
    } else fields[name].push(element.getAttribute('value') ?? '')
  }
  return fields
}

/** Creates a visitor, signed in if an account is given. */
export async function visitor(board: Board, account?: Pick<Account, 'key'>): Promise<Visitor> {
  const visitor = new Visitor(board)
  return account ? visitor.signIn(account) : visitor
}

/** Returns the error message that the page shows next to a field, if any. */
export function faultOf(page: Page, name: string): string | undefined {
  const field = page.document.querySelector(`[name="${name}"]:not([type="hidden"])`)
  const ids = field?.getAttribute('aria-describedby')?.split(' ') ?? []
  return ids.map((id) => page.document.querySelector(`#${id}.fault`)?.textContent).find((text) => text !== undefined)
}
