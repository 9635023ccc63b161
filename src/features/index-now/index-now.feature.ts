import { defineFeature } from '../feature.ts'
import { announcer } from './index-now.tasks.ts'

/** Announces changed jobs to search engines, if `INDEXNOW_KEY` is set and the board has a website. */
export const indexNow = defineFeature({
  name: 'index-now',
  isOptional: true,
  open(kit) {
    const { indexNow, hasWebsite } = kit
    if (!indexNow || !hasWebsite) return {}
    return {
      // Search engines read this file to check that the announcements come from this website.
      pages(pages) {
        pages.get(`/${indexNow.key}.txt`, { config: { access: 'public' } }, async (_request, reply) =>
          reply.type('text/plain; charset=utf-8').send(indexNow.key),
        )
      },
      tasks: [announcer(kit, indexNow)],
    }
  },
})
