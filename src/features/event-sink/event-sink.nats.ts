import { type JetStreamClient, jetstream } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import type { EventSink, SinkEvent } from './event-sink.contract.ts'

const NAME = 'job-marketplace'
const TIMEOUT_MS = 5_000

/**
 * Returns a sink that publishes events to a stream of NATS JetStream, under subjects such as
 * `job-marketplace.job.created`. `urls` name the servers of one cluster. The first URL contains the credentials, if
 * any. Within the stream's duplicate window, the server drops events whose ID it has already stored.
 */
export function natsSink(urls: readonly URL[]): EventSink {
  let connection: NatsConnection | undefined
  const connected = async () => {
    if (!connection || connection.isClosed()) {
      const { username, password } = urls[0]!
      connection = await connect({
        name: NAME,
        servers: urls.map(({ protocol, host }) => `${protocol}//${host}`),
        ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
        timeout: TIMEOUT_MS,
        maxReconnectAttempts: 0,
      })
    }
    return connection
  }
  return {
    async publish(events) {
      const stream = jetstream(await connected(), { timeout: TIMEOUT_MS })
      const subjects = [...Map.groupBy(events, ({ subjectId }) => subjectId).values()]
      const outcomes = await Promise.allSettled(subjects.map((ofSubject) => publishInTurn(stream, ofSubject)))
      // Waits for all subjects, because this process must not publish anything more once another process continues.
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    },
    close: async () => connection?.close(),
  }
}

/** Publishes one event after another. Throws unless a stream has stored every event. */
async function publishInTurn(stream: JetStreamClient, events: readonly SinkEvent[]): Promise<void> {
  for (const { id, type, body } of events) await stream.publish(`${NAME}.${type}`, body, { msgID: id })
}
