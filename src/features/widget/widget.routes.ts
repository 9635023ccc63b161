import { readFileSync } from 'node:fs'
import type { App } from '../../http/app.ts'
import { describeRepresentations, type Ready, sendReady } from '../../http/representation.ts'
import { languages } from '../../locale/languages.ts'
import { inLocale } from '../../locale/locale.ts'
import { t } from '../../locale/messages.ts'
import type { Kit } from '../feature.ts'

/** How long browsers may cache the script, in seconds. */
const FRESH_S = 3_600

/** Returns the texts of the widget in the current language. The widget replaces the placeholders. */
const words = () => ({
  any: t('shared.any'),
  category: t('job.category'),
  failed: t('widget.failed'),
  featured: t('board.featured'),
  found: t('widget.found', { total: '{total}' }),
  hybrid: t('job.hybrid'),
  jobs: t('menu.jobs'),
  loading: t('widget.loading'),
  location: t('shared.location'),
  next: t('shared.next'),
  none: t('board.nothing'),
  page: t('widget.page', { page: '{page}', pages: '{pages}' }),
  pages: t('shared.pages'),
  previous: t('shared.previous'),
  remote: t('job.remote'),
  search: t('shared.search'),
  search_jobs: t('shared.search_jobs'),
  type: t('job.type'),
})

/** Returns the script with its texts, without comments and indentation. */
function widgetScript(): string {
  const source = readFileSync(new URL('embed.js', import.meta.url), 'utf8')
  const lines = source.split('\n').map((line) => line.trim())
  const code = lines.filter((line) => line !== '' && !line.startsWith('//') && !line.startsWith('/**')).join('\n')
  const texts = languages.map((language) => [language, inLocale({ language, timeZone: 'UTC' }, words)])
  return `(texts=>{\n${code}\n})(${JSON.stringify(Object.fromEntries(texts))})\n`
}

/**
 * Serves the script outside `/v1` and the website. Does nothing if the service has no website, because the widget's
 * links would lead nowhere.
 */
export function registerWidgetScript(root: App, { hasWebsite }: Kit): void {
  if (!hasWebsite) return
  const ready: Ready = { body: Buffer.from(widgetScript()), isAskedAgain: true }
  root.register(async (scope) => {
    describeRepresentations(scope, undefined)
    scope.get('/embed.js', (request, reply) => {
      reply.header('cache-control', `public, max-age=${FRESH_S}`)
      // Pages with `crossorigin` or an embedder policy may load the script, too.
      reply.header('access-control-allow-origin', '*').header('cross-origin-resource-policy', 'cross-origin')
      return sendReady(request, reply, ready, 'text/javascript; charset=utf-8')
    })
  })
}
