import { jetstream } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import type { EventSink } from './event-sink.contract.ts'

/** Beginning of every subject. The event's type follows, as in `job-marketplace.job.created`. */
const SUBJECT = 'job-marketplace'
const TIMEOUT_MS = 5_000

/**
 * Publishes events to a stream of NATS JetStream. The server drops repeated events by their ID within the stream's
 * duplicate window. `url` may list several servers, separated by commas; the first one has the credentials.
 */
export function natsSink(url: string): EventSink {
  let connection: NatsConnection | undefined
  const connected = async () => {
    if (!connection || connection.isClosed()) {
      const servers = url.split(',').map((server) => new URL(server))
      const { username, password } = servers[0]!
      connection = await connect({
        servers: servers.map(({ protocol, host }) => `${protocol}//${host}`),
        ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
        timeout: TIMEOUT_MS,
        maxReconnectAttempts: 0,
        name: SUBJECT,
      })
    }
    return connection
  }
  return {
    async publish({ id, type, body }) {
      const stream = jetstream(await connected(), { timeout: TIMEOUT_MS })
      // Fails unless a stream has stored the event.
      await stream.publish(`${SUBJECT}.${type}`, body, { msgID: id })
    },
    close: async () => connection?.close(),
  }
}
