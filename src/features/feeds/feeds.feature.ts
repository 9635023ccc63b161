import { defineFeature } from '../feature.ts'
import { Pace } from './feeds.fetch.ts'
import { feedMails } from './feeds.mails.ts'
import { registerFeedMetrics } from './feeds.metrics.ts'
import { registerFeedPages } from './feeds.pages.ts'
import { registerFeeds } from './feeds.routes.ts'
import { FeedRunSchema, FeedSchema } from './feeds.schemas.ts'
import { feedPurge, feedRunner } from './feeds.tasks.ts'

/** Feeds of jobs that employers manage elsewhere. */
export const feeds = defineFeature({
  name: 'feeds',
  tag: 'Feeds',
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
    const { database, clock, settings, webhooks, provider, metrics } = kit
    const fetching = { ...webhooks, pace: new Pace() }
    const onEnd = registerFeedMetrics(metrics, database, clock)
    const deps = { database, clock, settings, fetching, isFree: provider.isFree, onEnd }
    return {
      api: (v1) => registerFeeds(v1, kit),
      pages: (pages) => registerFeedPages(pages, kit),
      mails: feedMails(kit.linkTo('/console/feeds/:id', '/v1/feeds/:id'), kit.brand.now),
      tasks: [feedRunner(deps), feedPurge(deps)],
    }
  },
})
