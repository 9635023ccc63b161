import { t } from '../../locale/messages.ts'
import { card, emptyState, withQuery } from '../../pages/components.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import type { DeskFinder, DeskFinding, DeskFindings } from '../feature.ts'

export type FoundKind = DeskFindings & Pick<DeskFinder, 'title' | 'list'>

/** Renders exact matches first, then the newest matches of each kind. `text` is empty if nothing was entered. */
export function renderDeskSearch(page: PageContext, text: string, kinds: readonly FoundKind[]): Html {
  const exact = kinds.flatMap(({ title, exact }) => exact.map((item) => ({ ...item, kind: t(title) })))
  const total = kinds.reduce((sum, kind) => sum + kind.total, 0)
  const title = text === '' ? t('shared.search') : t('desk.results_for', { text })
  return htmlPage(page, { title })`<h1>${title}</h1>
${text === '' && html`<p class="lead">${t('desk.search_lead')}</p>`}
${text !== '' && total === 0 && emptyState(t('desk.nothing_found'), html`<p>${t('desk.nothing_found_text')}</p>`)}
${exact.length > 0 && html`<section><h2>${t('desk.exact_match')}</h2>${renderItems(exact)}</section>`}
${kinds.filter(({ total }) => total > 0).map((kind) => renderKind(kind, text))}`
}

function renderKind({ title, list, total, exact, newest }: FoundKind, text: string): Html | undefined {
  const others = newest.filter(({ href }) => !exact.some((item) => item.href === href))
  if (others.length === 0) return undefined
  const shown = t('desk.all_results', { count: total })
  const label = t('shared.labeled', { label: shown, text: t(title) })
  const all = html`<a href="${withQuery(list, { search: text })}" aria-label="${label}">${shown}</a>`
  return html`<section><div class="row apart page-head"><h2>${t(title)}</h2>${all}</div>${renderItems(others)}</section>`
}

const renderItems = (items: readonly (DeskFinding & { kind?: string })[]): Html =>
  card(
    html`<ul class="rows">${items.map(({ href, title, details, kind }) => {
      const facts = [kind, ...details].filter((text) => text !== null && text !== undefined && text !== '')
      return html`<li><a class="strong" href="${href}">${title}</a><br><span class="soft small">${facts.join(' · ')}</span></li>`
    })}</ul>`,
  )
