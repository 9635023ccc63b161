import { t } from '../../locale/messages.ts'
import { buttonLink, emptyState } from '../../pages/components.ts'
import { COPY_MODULE, copyable } from '../../pages/console.ts'
import { attributes, type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { rich } from '../../pages/text.ts'

interface WidgetKey {
  id: string
  name: string
  key: string
  /** Null: any website may use the key. */
  origins: readonly string[] | null
}

/** Renders the code for other websites, and a preview of the widget with the chosen key. */
export function renderWidget(page: PageContext, keys: readonly WidgetKey[], chosen: WidgetKey | undefined): Html {
  const mayCreate = page.actor!.scopes.includes('profile:write')
  const create =
    mayCreate && buttonLink(t('accounts.new_publishable_key'), '/console/keys/new?kind=publishable', 'secondary')
  return htmlPage(page, {
    title: t('widget.title'),
    modules: [COPY_MODULE],
    head: chosen && html`<script src="/embed.js" async></script>`,
  })`<div class="row apart"><h1>${t('widget.title')}</h1>${create}</div>
<p class="lead">${t('widget.lead')}</p>
${chosen ? renderChosen(page, keys, chosen) : emptyState(t('widget.no_key'), html`<p>${t('widget.no_key_text')}</p>`)}`
}

function renderChosen(page: PageContext, keys: readonly WidgetKey[], { id, key, origins }: WidgetKey): Html {
  const { kind, accountId } = page.actor!
  const fallback = `${page.origin}${kind === 'employer' ? `/companies/${accountId}` : '/jobs'}`
  const snippet = `<script src="${page.origin}/embed.js" async></script>
<job-board key="${key}"><a href="${fallback}">${t('shared.all_jobs')}</a></job-board>`
  const choices = keys.map(
    (one) =>
      html`<li><a${attributes({ class: one.id === id ? 'chip on' : 'chip', href: `/console/widget?key=${one.id}`, 'aria-current': one.id === id && 'true' })}>${one.name}</a></li>`,
  )
  return html`${keys.length > 1 && html`<nav aria-label="${t('menu.api_keys')}"><ul class="bare row">${choices}</ul></nav>`}
<h2>${t('widget.snippet')}</h2>
${copyable(t('widget.snippet'), snippet)}
<p>${origins === null ? t('widget.any_website') : t('widget.websites', { origins: origins.join(', ') })}</p>
<p>${rich('widget.policy', { origin: html`<code>${page.origin}</code>` })}</p>
<p>${rich('widget.attributes')}</p>
<h2>${t('widget.preview')}</h2>
<section class="panel"><job-board key="${key}"><a href="${fallback}">${t('shared.all_jobs')}</a></job-board></section>`
}
