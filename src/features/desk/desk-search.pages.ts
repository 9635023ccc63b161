/** The admin area's search. Features contribute the kinds of objects that the search finds. */
import type { App } from '../../http/app.ts'
import { isStorableText } from '../../lib/bad-text.ts'
import type { RawQuery } from '../../lists/query.ts'
import type { Kit } from '../feature.ts'
import { type FoundKind, renderDeskSearch } from './desk-search.views.ts'

const TEXT_MAX = 200
/** Maximum number of newest matches to show of each kind, in addition to exact matches. */
const SHOWN = 5

export function registerDeskSearchPage(pages: App, { searches, collect }: Kit): void {
  const finders = collect('deskFinder')

  pages.get('/desk/search', {
    config: { access: { kinds: ['admin'], scope: 'admin:read', staff: 'moderator' }, charges: ['search-time'] },
    handler: async (request) => {
      const { search } = request.query as RawQuery
      const sent = typeof search === 'string' && isStorableText(search) ? search.trim().slice(0, TEXT_MAX) : ''
      const text = sent.toWellFormed()
      const kinds: FoundKind[] = []
      if (text !== '') {
        await searches.read(request.chargedTo, async (db) => {
          for (const { title, list, find } of finders) {
            if (!request.page.may('GET', list)) continue
            kinds.push({ title, list, ...(await find(db, text, SHOWN)) })
          }
        })
      }
      return renderDeskSearch(request.page, text, kinds)
    },
  })
}
