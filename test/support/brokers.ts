/** Real message brokers, as separate processes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { Admin, Consumer, ListOffsetTimestamps, stringDeserializers } from '@platformatic/kafka'
import { freePort } from './process.ts'

export interface StoredEvent {
  id: string
  type: string
  body: string
}

export interface Broker {
  readonly urls: readonly URL[]
  /** Starts the broker on the stored data, if any. */
  start(): Promise<void>
  kill(): Promise<void>
  /** Creates the stream or topic, which the service expects the operator to create. */
  prepare(): Promise<void>
  /** Returns all stored events. The events of each subject are in order. */
  stored(): Promise<StoredEvent[]>
}

/** The path of the NATS server. Undefined if it is not installed. */
export const natsServer = [
  process.env.NATS_SERVER_PATH,
  ...(process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'nats-server')),
].find((path) => {
  try {
    accessSync(path ?? '', constants.X_OK)
    return path
  } catch {
    return false
  }
})

/** The folder with the jars of Kafka (the Maven artifact `kafka_2.13` with its dependencies). Requires Java. */
export const kafkaFolder = process.env.KAFKA_JARS

async function killed(server: ChildProcess | undefined): Promise<void> {
  if (server?.exitCode !== null || server.signalCode !== null) return
  server.kill('SIGKILL')
  await once(server, 'exit')
}

export async function createNats(folder: string): Promise<Broker> {
  const port = await freePort()
  const options = { servers: `127.0.0.1:${port}`, user: 'board', pass: 'quiet' }
  let server: ChildProcess | undefined
  return {
    urls: [new URL(`nats://board:quiet@127.0.0.1:${port}`)],
    async start() {
      const args = ['--addr', '127.0.0.1', '--port', String(port), '--user', 'board', '--pass', 'quiet']
      server = spawn(natsServer!, [...args, '--jetstream', '--store_dir', folder], {
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      await printed(server, server.stderr!, 'Server is ready')
    },
    kill: () => killed(server),
    async prepare() {
      const connection = await connect(options)
      await (await jetstreamManager(connection)).streams.add({ name: 'EVENTS', subjects: ['job-marketplace.>'] })
      await connection.close()
    },
    async stored() {
      const connection = await connect(options)
      const { state } = await (await jetstreamManager(connection)).streams.info('EVENTS')
      const events: StoredEvent[] = []
      if (state.messages > 0) {
        const consumer = await jetstream(connection).consumers.get('EVENTS')
        for await (const message of await consumer.fetch({ max_messages: state.messages })) {
          const type = message.subject.replace('job-marketplace.', '')
          events.push({ id: message.headers!.get('Nats-Msg-Id'), type, body: message.string() })
        }
      }
      await connection.close()
      return events
    },
  }
}

export async function createKafka(folder: string): Promise<Broker> {
  const [port, controllerPort] = [await freePort(), await freePort()]
  const settings = join(folder, 'server.properties')
  const java = (main: string, ...args: string[]) =>
    spawn('java', ['-Xmx256m', '-cp', join(kafkaFolder!, '*'), main, ...args], { stdio: 'ignore' })
  const client = { clientId: 'test', bootstrapBrokers: [{ host: '127.0.0.1', port }] }
  const topic = 'job-marketplace.events'
  let server: ChildProcess | undefined
  /** Whether the topic exists. */
  let isPrepared = false
  /** Returns the number of stored events, as soon as all partitions have a leader. */
  const count = async () => {
    const consumer = new Consumer({ ...client, groupId: randomUUID(), retries: 200, retryDelay: 250 })
    const latest = await consumer.listOffsets({ topics: [topic], timestamp: ListOffsetTimestamps.LATEST })
    await consumer.close(true)
    return Number(latest.get(topic)!.reduce((sum, offset) => sum + offset, 0n))
  }
  return {
    urls: [new URL(`kafka://127.0.0.1:${port}`)],
    async start() {
      if (!server) {
        const lines = {
          'process.roles': 'broker,controller',
          'node.id': '1',
          'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
          listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
          'controller.listener.names': 'CONTROLLER',
          'log.dirs': join(folder, 'data'),
          'offsets.topic.replication.factor': '1',
          'group.initial.rebalance.delay.ms': '0',
          'auto.create.topics.enable': 'false',
        }
        await writeFile(
          settings,
          Object.entries(lines)
            .map((line) => `${line.join('=')}\n`)
            .join(''),
        )
        const id = randomUUID().replaceAll('-', '').slice(0, 22)
        await once(java('kafka.tools.StorageTool', 'format', '-t', id, '-c', settings), 'exit')
      }
      server = java('kafka.Kafka', settings)
      // The server's output is discarded, so only a response shows that the server is ready.
      const admin = new Admin({ ...client, retries: 200, retryDelay: 250 })
      await admin.listTopics()
      await admin.close()
      if (isPrepared) await count()
    },
    kill: () => killed(server),
    async prepare() {
      const admin = new Admin(client)
      await admin.createTopics({ topics: [topic], partitions: 3, replicas: 1 })
      await admin.close()
      isPrepared = true
      await count()
    },
    async stored() {
      const total = await count()
      const consumer = new Consumer({ ...client, groupId: randomUUID(), deserializers: stringDeserializers })
      const events: StoredEvent[] = []
      if (total > 0) {
        const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false })
        for await (const { headers, value } of stream) {
          events.push({ id: headers.get('id')!, type: headers.get('type')!, body: value })
          if (events.length === total) break
        }
      }
      await consumer.close(true)
      return events
    },
  }
}

async function printed(server: ChildProcess, output: NodeJS.ReadableStream, text: string): Promise<void> {
  let log = ''
  const ended = once(server, 'exit').then(() => {
    throw new Error(`Ended without "${text}": ${log}`)
  })
  const ready = new Promise<void>((resolve) => {
    output.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk
      if (log.includes(text)) resolve()
    })
  })
  ended.catch(() => undefined)
  await Promise.race([ready, ended])
}
