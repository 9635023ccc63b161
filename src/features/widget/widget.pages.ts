/** The page that shows the widget and the code that embeds it. */
import type { App } from '../../http/app.ts'
import type { RawQuery } from '../../lists/query.ts'
import { signedIn } from '../../pages/page.ts'
import { listAllApiKeys } from '../accounts/index.ts'
import type { Kit } from '../feature.ts'
import { renderWidget } from './widget.views.ts'

export function registerWidgetPage(pages: App, { database, clock }: Kit): void {
  pages.get('/console/widget', {
    config: { access: { kinds: ['employer', 'integrator', 'admin'], scope: 'profile:read' } },
    handler: async (request) => {
      const { accountId } = signedIn(request)
      const now = clock.now()
      const keys = (await database.read((db) => listAllApiKeys(db, accountId))).flatMap((row) => {
        const { id, name, publishable_key: key, allowed_origins: origins, expires_at: end } = row
        return key === null || (end !== null && end <= now) ? [] : [{ id, name, key, origins }]
      })
      const { key: wanted } = request.query as RawQuery
      return renderWidget(request.page, keys, keys.find(({ id }) => id === wanted) ?? keys.at(-1))
    },
  })
}
