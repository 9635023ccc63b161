/**
 * The pages of the API reference: Scalar's reference in the website's layout and, for each operation, a page that needs
 * no script.
 */
import {
  type NamedOperation,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  responseIn,
} from '../http/openapi-document.ts'
import { REFERENCE_SCRIPT } from '../http/reference.ts'
import { t } from '../locale/messages.ts'
import { facts } from './components.ts'
import { COPY_MODULE, inLanguages, LANGUAGES_MODULE } from './console.ts'
import { type Content, type Html, html } from './html.ts'
import { htmlPage } from './layout.ts'
import type { PageContext } from './page.ts'
import { linkingTo, rich } from './text.ts'

const pathOf = ({ operationId }: Operation) => `/v1/docs/${operationId}`

const nameOf = ({ method, path }: NamedOperation) => html`<code>${method} /v1${path}</code>`

/** Renders the page in which Scalar shows the reference. Without scripts, the page lists the operations. */
export function renderReference(page: PageContext, document: OpenApiDocument): Html {
  const operations = operationsOf(document)
  return htmlPage(page, {
    title: t('reference.title'),
    style: 'reference.css',
    head: html`<script src="${REFERENCE_SCRIPT}" defer></script>`,
    banner: html`<div class="wrap wide reference-way">${wayBack(html`<a href="/docs">${t('menu.for_developers')}</a>`)}</div>
<div id="reference"></div>`,
  })`<noscript><h1>${t('reference.title')}</h1>
<p>${rich('reference.no_script', { link: linkingTo('/v1/openapi.json') })}</p>
<ul>${operations.map(
    (operation) =>
      html`<li><a href="${pathOf(operation)}">${nameOf(operation)}</a> <span lang="en">${operation.summary}</span></li>`,
  )}</ul></noscript>`
}

/** Renders a paragraph of the document, with the text between backticks as code. */
const inline = (text: string): Content =>
  text.split('`').map((part, n) => (n % 2 === 1 ? html`<code>${part}</code>` : part))

/** Renders an operation's description, examples, parameters and status codes. */
export function renderOperation(page: PageContext, document: OpenApiDocument, operation: NamedOperation): Html {
  const { summary = operation.operationId, description, parameters = [], responses } = operation
  const samples = Object.fromEntries((operation['x-codeSamples'] ?? []).map(({ lang, source }) => [lang, source]))
  const named = parameters.filter(({ description }) => description !== undefined)
  return htmlPage(page, {
    title: summary,
    modules: [COPY_MODULE, LANGUAGES_MODULE],
  })`${wayBack(html`<a href="/docs">${t('menu.for_developers')}</a> / <a href="/v1/docs">${t('reference.title')}</a>`)}
<div class="guide"><h1 lang="en">${summary}</h1>
<p>${nameOf(operation)}</p>
${description !== undefined && html`<div class="flow" lang="en">${description.split('\n\n').map((text) => html`<p>${inline(text)}</p>`)}</div>`}
<h2>${t('reference.example')}</h2>
${inLanguages('example', samples)}
${named.length > 0 && html`<h2>${t('reference.parameters')}</h2>${facts(named.map(({ name, description }) => [name, inline(description!)]))}`}
<h2>${t('reference.statuses')}</h2>
${facts(Object.entries(responses).map(([status, response]) => [status, inline(responseIn(document, response).description)]))}</div>`
}

const wayBack = (links: Html) =>
  html`<nav class="crumbs small" aria-label="${t('reference.breadcrumb')}">${links}</nav>`
