import { defineFeature } from '../feature.ts'
import { registerEventPages } from './events.pages.ts'
import { registerEvents } from './events.routes.ts'
import { eventComponents, eventWebhooks } from './events.schemas.ts'

/** The event log, and its live view in the console. */
export const events = defineFeature({
  name: 'events',
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
  open: (kit) => ({
    api: (v1) => registerEvents(v1, kit),
    pages: (pages) => registerEventPages(pages, kit),
    retention: [{ name: 'events', days: 30, tables: ['event'] }],
  }),
})
