/** Shared components of the console, such as equivalent API commands and formatted JSON. */
import {
  type ExampleLanguage,
  type ExampleRequest,
  exampleLanguages,
  keyHeader,
  keyVariables,
  renderExample,
} from '../lib/request-examples.ts'
import { t } from '../locale/messages.ts'
import { withQuery } from './components.ts'
import { attributes, type Content, type Html, html } from './html.ts'
import { htmlPage } from './layout.ts'
import type { PageContext } from './page.ts'
import { linkingTo, rich } from './text.ts'

interface Call {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path on the public origin. */
  path: string
  /** Body sent as JSON. */
  body?: unknown
}

function curlCommand(origin: string, { method = 'GET', path, body }: Call): string {
  const request: ExampleRequest = {
    method,
    url: `${origin}${path}`,
    headers: { ...keyHeader, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { body: { kind: 'json', value: body } }),
  }
  return renderExample('curl', [request], keyVariables)
}

/** The script for pages with `copyable` texts. */
export const COPY_MODULE = 'copy.js'

/** The script that applies the reader's choice of language to all `inLanguages` examples. */
export const LANGUAGES_MODULE = 'languages.js'

/** Renders an example in several languages, of which the reader chooses one. Needs no script. */
export function inLanguages(id: string, sources: Partial<Record<ExampleLanguage, string>>): Html {
  const shown = (Object.keys(exampleLanguages) as ExampleLanguage[]).filter(
    (language) => sources[language] !== undefined,
  )
  const tab = (language: ExampleLanguage, n: number) =>
    html`<input class="hide" type="radio" id="${id}-${language}" name="${id}" value="${language}"${attributes({ checked: n === 0 })}><label for="${id}-${language}">${exampleLanguages[language]}</label>`
  const panel = (language: ExampleLanguage) =>
    copyable(t('console.example_in', { language: exampleLanguages[language] }), sources[language]!, 'group')
  return html`<div class="in-languages" role="group" aria-label="${t('console.example_language')}">${shown.map(tab)}${shown.map(panel)}</div>`
}

/**
 * Renders a text with a button that copies it. Without scripts, the button is hidden. A `region` is a landmark, so its
 * label must be unique on the page.
 */
export function copyable(label: string, text: string, role: 'region' | 'group' = 'region'): Html {
  return html`<div class="copyable"><pre tabindex="0" role="${role}" aria-label="${label}"><code>${text}</code></pre><button class="btn" type="button" data-copy data-copied="${t('console.copied')}" data-selected="${t('console.selected')}" hidden>${t('console.copy')}</button></div>`
}

/** Renders the API commands that are equivalent to a page. */
export function apiCalls(page: PageContext, calls: readonly (Call & { does: string })[]): Html {
  return html`<section class="api-calls no-print"><h2>${t('console.with_api')}</h2>
${calls.map((call) => html`<h3>${call.does}</h3>${copyable(t('console.command', { what: call.does }), curlCommand(page.origin, call))}`)}
<p class="small soft">${rich('console.set_key', {
    variable: html`<code>$API_KEY</code>`,
    keys: (text) => (page.actor?.scopes.includes('profile:read') ? html`<a href="/console/keys">${text}</a>` : text),
    reference: linkingTo('/v1/docs'),
  })}</p></section>`
}

/** Returns the template tag of a console page. The page ends with the equivalent API commands. */
export const consolePage =
  (page: PageContext, title: string, calls: readonly (Call & { does: string })[] = [], modules: string[] = []) =>
  (literals: TemplateStringsArray, ...contents: Content[]): Html =>
    htmlPage(page, {
      title,
      modules: [COPY_MODULE, ...modules],
    })`<div class="console">${html(literals, ...contents)}${calls.length > 0 && apiCalls(page, calls)}</div>`

/** Returns a page's query string. The equivalent list in the API accepts the same string. */
export function queryOf({ path }: PageContext): string {
  const clean = withQuery(path, {})
  return clean.includes('?') ? clean.slice(clean.indexOf('?')) : ''
}

/** Maximum length of JSON to highlight, in characters. Highlighting doubles the size of the markup. */
const COLORED_MAX = 16_384

/** Renders JSON with one member per line. */
export function jsonBlock(label: string, value: unknown): Html {
  const text = JSON.stringify(value, null, 2)
  const shown: Content = text.length > COLORED_MAX ? text : text.split('\n').map((line) => [coloredLine(line), '\n'])
  return html`<pre class="json" tabindex="0" role="region" aria-label="${label}"><code>${shown}</code></pre>`
}

const JSON_STRING = /^"(?:[^"\\]|\\.)*"/

function coloredLine(line: string): Content {
  const rest = line.trimStart()
  const indent = line.slice(0, line.length - rest.length)
  const [first = ''] = JSON_STRING.exec(rest) ?? []
  const isMember = rest.startsWith(': ', first.length)
  const value = isMember ? rest.slice(first.length + 2) : rest
  return [indent, isMember && [html`<span class="name">${first}</span>`, ': '], coloredValue(value)]
}

function coloredValue(text: string): Content {
  const value = text.endsWith(',') ? text.slice(0, -1) : text
  if (value === '' || '[{]}'.includes(value[0]!)) return text
  const kind = value.startsWith('"') ? 'text' : 'plain'
  return [html`<span class="${kind}">${value}</span>`, text.slice(value.length)]
}

export const milliseconds = (ms: number): string =>
  ms < 1_000 ? t('console.milliseconds', { ms }) : t('console.seconds', { seconds: ms / 1_000 })
