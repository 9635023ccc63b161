import { defineFeature } from '../feature.ts'
import { registerFeedPages } from './feeds.pages.ts'
import { registerFeeds } from './feeds.routes.ts'
import { FeedRunSchema, FeedSchema } from './feeds.schemas.ts'
import { feedPurge, feedRunner } from './feeds.tasks.ts'

/** Feeds of jobs that employers keep elsewhere. */
export const feeds = defineFeature({
  name: 'feeds',
  isOptional: true,
  schemas: [FeedSchema, FeedRunSchema],
  examples: {
    board: 'voltaire',
    close_after_hours: 48,
    every_minutes: 60,
    external_id: '4812',
    'Feed.name': 'Voltaire careers',
    'Feed.url': null,
    'createFeed.url': null,
    'createFeed.employer_id': null,
    format: 'greenhouse',
  },
  navigation: [{ menu: 'console', href: '/console/feeds', text: 'menu.feeds', rank: 15 }],
  open(kit) {
    const { database, clock, settings, webhooks, provider } = kit
    const deps = { database, clock, settings, fetching: webhooks, isFree: provider.isFree }
    return {
      api: (v1) => registerFeeds(v1, kit),
      pages: (pages) => registerFeedPages(pages, kit),
      tasks: [feedRunner(deps), feedPurge(deps)],
    }
  },
})
