// Defines the element <job-board>, which lists jobs on any website. The service wraps this script in a function
// whose parameter `texts` contains the widget's texts by language.
const board = new URL(document.currentScript.src).origin
const JOBS_PER_PAGE = 10

// Constructed style sheets need no permission in the content security policy of the page, unlike style elements.
const styles = new CSSStyleSheet()
styles.replaceSync(`
:host { display: block; background: Canvas; color: CanvasText; line-height: 1.5 }
:host([hidden]) { display: none }
* { box-sizing: border-box }
form { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(11rem, 100%), 1fr)); gap: .75rem; align-items: end }
label span { display: block; font-weight: 600 }
input, select, button { width: 100%; min-height: 2.75rem; padding: .25rem .75rem; border: 1px solid color-mix(in srgb, CanvasText 55%, Canvas); border-radius: .5rem; background: Canvas; color: inherit; font: inherit }
button { font-weight: 600; cursor: pointer }
button:disabled { opacity: .55; cursor: default }
a { color: var(--job-board-accent, LinkText); font-weight: 600; overflow-wrap: anywhere }
:focus-visible { outline: 3px solid var(--job-board-accent, LinkText); outline-offset: 2px }
ul { margin: 0; padding: 0; list-style: none }
li { padding: .75rem 0; border-top: 1px solid color-mix(in srgb, CanvasText 25%, Canvas) }
li p { margin: 0 }
.soft { color: color-mix(in srgb, CanvasText 75%, Canvas) }
nav { display: flex; gap: 1rem; align-items: center; justify-content: space-between }
nav button { width: auto }
[hidden] { display: none }
`)

/** Creates an element. Attributes without a value are omitted. */
const el = (name, attributes = {}, ...children) => {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) if (value != null) element.setAttribute(key, value)
  element.append(...children)
  return element
}

class JobBoard extends HTMLElement {
  static observedAttributes = ['key', 'employer', 'search']
  #root = this.attachShadow({ mode: 'open' })
  #isShown = false
  #view
  #page = 1
  #ending

  constructor() {
    super()
    this.#root.adoptedStyleSheets = [styles]
  }

  connectedCallback() {
    this.#isShown = true
    this.#show()
  }

  disconnectedCallback() {
    this.#isShown = false
    this.#ending?.abort()
  }

  attributeChangedCallback() {
    if (this.#isShown) this.#show()
  }

  #show() {
    const tag = this.closest('[lang]')?.lang || navigator.language
    const short = tag.split('-')[0].toLowerCase()
    const language = texts[short] ? short : 'en'
    const text = texts[short] ?? texts.en
    const field = (label, control) => el('label', {}, el('span', {}, label), control)
    const select = (name) => el('select', { name }, el('option', { value: '' }, text.any))
    const filters = { categories: select('category'), types: select('job_type') }
    const form = el(
      'form',
      { role: 'search', 'aria-label': text.search_jobs },
      field(text.search_jobs, el('input', { type: 'search', name: 'search', value: this.getAttribute('search') })),
      field(text.location, el('input', { name: 'location', autocomplete: 'off' })),
      field(text.category, filters.categories),
      field(text.type, filters.types),
      el('button', {}, text.search),
    )
    const status = el('p', { role: 'status', tabindex: '-1' })
    const list = el('ul', { role: 'list' })
    const previous = el('button', { type: 'button' }, text.previous)
    const next = el('button', { type: 'button' }, text.next)
    const place = el('span')
    const pages = el('nav', { 'aria-label': text.pages, hidden: '' }, previous, place, next)
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      this.#load(1)
    })
    previous.addEventListener('click', () => this.#turn(-1))
    next.addEventListener('click', () => this.#turn(1))
    const region = { lang: language, role: 'region', 'aria-label': text.jobs }
    this.#root.replaceChildren(el('div', region, form, status, list, pages))
    const path = texts[short] ? `/${short}/jobs/` : '/jobs/'
    this.#view = { text, language, path, form, status, list, previous, next, place, pages }
    this.#load(1)
    for (const [kind, control] of Object.entries(filters)) this.#offer(kind, control)
  }

  async #read(path, signal) {
    const headers = { authorization: `Bearer ${this.getAttribute('key')}` }
    const response = await fetch(`${board}/v1/jobs${path}`, { headers, signal, credentials: 'omit' })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    return response.json()
  }

  /** Fills a filter with the values that jobs have. If they cannot be loaded, the filter stays empty. */
  async #offer(kind, control) {
    const { data } = await this.#read(`/${kind}`).catch(() => ({ data: [] }))
    for (const { slug, name, job_count } of data) if (job_count > 0) control.append(el('option', { value: slug }, name))
  }

  async #turn(step) {
    await this.#load(this.#page + step)
    // Moves the focus, because the button may be disabled now.
    this.#view.status.focus()
  }

  async #load(page) {
    const { text, language, form, status, list, previous, next, place, pages } = this.#view
    this.#page = page
    this.#ending?.abort()
    this.#ending = new AbortController()
    const { signal } = this.#ending
    const asked = new URLSearchParams({ page, limit: JOBS_PER_PAGE })
    for (const [name, value] of new FormData(form)) if (value.trim()) asked.set(name, value)
    const employer = this.getAttribute('employer')
    if (employer) asked.set('employer_id', employer)
    status.textContent = text.loading
    try {
      const { data, meta } = await this.#read(`?${asked}`, signal)
      const { total, pages: count } = meta.pagination
      list.replaceChildren(...data.map((job) => this.#item(job)))
      status.textContent = total ? text.found.replace('{total}', total.toLocaleString(language)) : text.none
      pages.hidden = count < 2
      previous.disabled = page <= 1
      next.disabled = page >= count
      place.textContent = text.page.replace('{page}', page).replace('{pages}', count)
    } catch (error) {
      if (signal.aborted) return
      console.error('job-board:', error)
      list.replaceChildren()
      pages.hidden = true
      status.textContent = text.failed
    }
  }

  #item(job) {
    const { text, language, path } = this.#view
    const others = job.locations.length > 1 ? ` +${job.locations.length - 1}` : ''
    const facts = [job.company, job.location + others, text[job.workplace], job.is_featured && text.featured]
    const posted = new Date(job.posted_at).toLocaleDateString(language, { dateStyle: 'medium' })
    return el(
      'li',
      {},
      el('a', { href: `${board}${path}${job.id}`, lang: job.language }, job.title),
      el('p', {}, facts.filter(Boolean).join(' · ')),
      el('p', { class: 'soft' }, el('time', { datetime: job.posted_at }, posted)),
    )
  }
}

if (!customElements.get('job-board')) customElements.define('job-board', JobBoard)
