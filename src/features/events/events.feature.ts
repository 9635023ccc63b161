import { purgeInOrder } from '../../db/purge.ts'
import { defineFeature } from '../feature.ts'
import { registerStreamGauge } from './events.metrics.ts'
import { registerEventPages } from './events.pages.ts'
import { purgePlaces } from './events.queries.ts'
import { registerEvents } from './events.routes.ts'
import { eventComponents, eventWebhooks } from './events.schemas.ts'
import { EventStream } from './events.stream.ts'

/** The event log, its stream, and its live view in the console. */
export const events = defineFeature({
  name: 'events',
  tag: 'Events',
  isOptional: true,
  schemas: eventComponents,
  examples: {
    event_id: 'evt_01k9z6q4x0e8wbmt5n7rhv2c3d',
    'Event.type': 'job.created',
  },
  webhooks: eventWebhooks,
  navigation: [
    { menu: 'console', href: '/console/events', text: 'menu.events', rank: 20 },
    { menu: 'console', href: '/console/live', text: 'menu.live', rank: 30 },
  ],
  open: (kit) => {
    const { database } = kit
    const stream = new EventStream(database, kit.cursorSecret)
    registerStreamGauge(kit.metrics, stream.readers)
    return {
      api: (v1) => registerEvents(v1, kit, stream),
      pages: (pages) => registerEventPages(pages, kit),
      retention: [
        {
          name: 'events',
          days: 30,
          tables: ['event', 'event_position'],
          purge: purgeInOrder(0, (before, range) => database.inStatement((tx) => purgePlaces(tx, before, range))),
        },
      ],
    }
  },
})
