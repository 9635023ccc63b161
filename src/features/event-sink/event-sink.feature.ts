import { EventStream } from '../events/index.ts'
import { defineFeature } from '../feature.ts'
import { publisher } from './event-sink.tasks.ts'

/** Publishes all events to a message broker, if `EVENTS_SINK` is set. */
export const eventSink = defineFeature({
  name: 'event-sink',
  isOptional: true,
  async open(kit) {
    const { database, cursorSecret, eventSinkUrls } = kit
    if (!eventSinkUrls) return {}
    const sink = eventSinkUrls[0]!.protocol.startsWith('kafka')
      ? (await import('./event-sink.kafka.ts')).kafkaSink(eventSinkUrls)
      : (await import('./event-sink.nats.ts')).natsSink(eventSinkUrls)
    return { tasks: [publisher(kit, new EventStream(database, cursorSecret), sink)] }
  },
})
