import { EventStream } from '../events/index.ts'
import { defineFeature } from '../feature.ts'
import { natsSink } from './event-sink.nats.ts'
import { publisher } from './event-sink.tasks.ts'

/** Publishes all events to a message broker, if `EVENTS_SINK` is set. */
export const eventSink = defineFeature({
  name: 'event-sink',
  isOptional: true,
  open(kit) {
    const { database, cursorSecret, eventSinkUrl } = kit
    if (eventSinkUrl === undefined) return {}
    return { tasks: [publisher(kit, new EventStream(database, cursorSecret), natsSink(eventSinkUrl))] }
  },
})
