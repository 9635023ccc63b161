/**
 * `node bench/agents.ts [--jobs 20000] [--url postgres://…] [--seconds 2] [--turns 6] [--only PATTERN]`: compares tool
 * calls at `/v1/mcp` with the same API requests, in alternating turns. Prints the processor time that the service
 * spends on a call, because rates depend on the load generator.
 */
import { parseArgs } from 'node:util'
import { JobMarketplace } from '../packages/client/src/index.ts'
import { employer } from './acknowledged.ts'
import { withLoadedBoard } from './loaded-board.ts'
import { load, type Target } from './measure.ts'
import { processorMs, SERVE, startServer } from './processes.ts'
import { filteredLists, newJobs, searches } from './workload.ts'

const { values: options } = parseArgs({
  options: {
    jobs: { type: 'string', default: '20000' },
    url: { type: 'string' },
    seconds: { type: 'string', default: '2' },
    turns: { type: 'string', default: '6' },
    /** Runs only the cases whose name matches this regular expression. */
    only: { type: 'string', default: '' },
  },
})
const VARIED = 2_500
const REVISION = '2026-07-28'
const TITLE = { title: 'Cell engineer' }

/** A request to the API, and the arguments of the tool for the same call. */
type Call = [path: string, args: object, body?: object]

/** Returns the message that calls a tool, as the official client sends it. */
const messageOf = (name: string, args: object) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name,
      arguments: args,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': REVISION,
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  })

/** Returns the arguments of `search_jobs` for the path of a list. */
const argumentsOf = (path: string) => Object.fromEntries(new URL(path, 'http://localhost').searchParams)

await withLoadedBoard(Number(options.jobs), options.url, async (url) => {
  const server = await startServer(
    [...SERVE, '--only', 'http'],
    { DATABASE_URL: url, RATE_LIMIT: 'off', LOG_LEVEL: 'fatal' },
    '/readyz',
  )
  const { origin } = server
  const key = await employer(origin)
  const authorization = `Bearer ${key}`
  const board = new JobMarketplace({ baseUrl: origin, apiKey: key })
  const created = await board.jobs.create(JSON.parse(newJobs(1, Date.now())[0]!))
  const { data: jobs } = await board.jobs.list({ limit: 100 })
  const listsOf = (paths: string[]) => paths.map((path): Call => [path, argumentsOf(path)])
  /** Number of the next request in the cases that are never cached. */
  let count = 0
  const isNew = (name: string) => name.startsWith('new ')
  const cases: [tool: string, name: string, calls: Call[]][] = [
    ['list_categories', 'categories', [['/v1/jobs/categories', {}]]],
    ['get_job', 'one job', jobs.map(({ id }) => [`/v1/jobs/${id}`, { id }])],
    ['search_jobs', 'list, page 1', [['/v1/jobs', {}]]],
    ['search_jobs', '1 to 3 filters', listsOf(filteredLists(VARIED))],
    ['search_jobs', 'search', listsOf(searches(VARIED))],
    ['search_jobs', 'new filters', listsOf(filteredLists(VARIED))],
    ['search_jobs', 'new search', listsOf(searches(VARIED))],
    ['list_my_jobs', 'own jobs', [['/v1/employers/jobs', {}]]],
    ['update_job', 'change a job', [[`/v1/jobs/${created.id}`, { id: created.id, ...TITLE }, TITLE]]],
  ]
  console.log('| tool | case | API ms | API without fast path ms | tool ms | ratio to API | ratio without fast path |')
  console.log('|---|---|---:|---:|---:|---:|---:|')
  for (const [tool, name, calls] of cases) {
    if (!new RegExp(options.only).test(name)) continue
    const isWrite = calls[0]![2] !== undefined
    const bodies = calls.map(([, , body]) => JSON.stringify(body))
    const api = (headers: Record<string, string>): Target => ({
      ...{ origin, method: isWrite ? 'PUT' : 'GET', paths: calls.map(([path]) => path), bodies },
      headers: { authorization, ...headers, ...(isWrite && { 'content-type': 'application/json' }) },
    })
    const agent: Target = {
      ...{ origin, method: 'POST', paths: ['/v1/mcp'], bodies: calls.map(([, args]) => messageOf(tool, args)) },
      headers: {
        ...{ authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        ...{ 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/call', 'mcp-name': tool },
      },
    }
    // The fast path ignores requests with an Origin header.
    const targets = [api({}), api({ origin: 'https://bench.example' }), agent]
    if (isNew(name)) {
      for (const target of targets) {
        target.next = () => {
          const [path, args] = calls[count % calls.length]!
          const extra = { salary_max_gte: String(count++), salary_currency: 'EUR' }
          if (target === agent) return { path: '/v1/mcp', body: messageOf(tool, { ...args, ...extra }) }
          return { path: `${path}&${new URLSearchParams(extra)}` }
        }
      }
    }
    const spent = targets.map(() => ({ ms: 0, calls: 0 }))
    for (const target of targets) await load(target, 1)
    for (let turn = 0; turn < Number(options.turns); turn++) {
      for (const [index, target] of targets.entries()) {
        const before = processorMs(server.pid)
        const { latencies } = await load(target, Number(options.seconds))
        spent[index]!.ms += processorMs(server.pid) - before
        spent[index]!.calls += latencies.length
      }
    }
    const costs = spent.map((each) => each.ms / each.calls)
    const ratios = costs.slice(0, 2).map((cost) => (costs[2]! / cost).toFixed(2))
    console.log(`| \`${tool}\` | ${name} | ${[...costs.map((cost) => cost.toFixed(2)), ...ratios].join(' | ')} |`)
  }
  await server.stop()
})
