import { ProduceAcks, Producer, type SASLMechanismValue, stringSerializers } from '@platformatic/kafka'
import type { EventSink } from './event-sink.contract.ts'

const NAME = 'job-marketplace'
const TOPIC = `${NAME}.events`
const TIMEOUT_MS = 5_000

/**
 * Returns a sink that publishes events to a Kafka topic, with their subjects' IDs as keys. `urls` name the brokers of
 * one cluster. The first URL contains the credentials, if any, and optionally the SASL mechanism, such as
 * `?mechanism=SCRAM-SHA-512`.
 */
export function kafkaSink(urls: readonly URL[]): EventSink {
  const { protocol, username, password, searchParams } = urls[0]!
  const credentials = { username: decodeURIComponent(username), password: decodeURIComponent(password) }
  const mechanism = (searchParams.get('mechanism') ?? 'PLAIN') as SASLMechanismValue
  const producer = new Producer({
    clientId: NAME,
    bootstrapBrokers: urls.map(({ hostname, port }) => ({ host: hostname, port: Number(port || 9092) })),
    serializers: stringSerializers,
    autocreateTopics: false,
    acks: ProduceAcks.ALL,
    retries: false,
    connectTimeout: TIMEOUT_MS,
    timeout: TIMEOUT_MS,
    ...(username && { sasl: { mechanism, ...credentials } }),
    ...(protocol === 'kafkas:' && { tls: {} }),
  })
  return {
    // A broker stores the messages of a partition in the order of the request.
    async publish(events) {
      const messages = events.map(({ id, type, subjectId, body }) => ({
        ...{ topic: TOPIC, key: subjectId, value: body },
        headers: { id, type },
      }))
      await producer.send({ messages })
    },
    close: () => producer.close(),
  }
}
