/**
 * Runs the conformance suite of the Model Context Protocol against `/v1/mcp`, for each revision in `REVISIONS`:
 * `node bin/node.js scripts/mcp-conformance.ts`. Downloads the suite with npx. Exits with code 1 if a check that
 * applies to the board fails.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { employer } from '../bench/acknowledged.ts'
import { killServers, SERVE, startServer } from '../bench/processes.ts'

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
const REVISIONS = ['2025-11-25', '2026-07-28']

/** Scenarios that do not apply to the board: prefixes of their names, by reason. */
const inapplicable = {
  'calls a tool of the demo server': ['tools-call-', 'json-schema-2020-12'],
  'the board has tools only': ['prompts-', 'resources-', 'completion-complete', 'logging-set-level', 'tasks-'],
  'no tool asks the client for anything': ['input-required-result-', 'elicitation-'],
  'no argument is sent as a header': ['http-custom-header-server-validation'],
}
/** Single checks that do not apply to the board, by reason. */
const inapplicableChecks = {
  'the board has tools only': [
    'sep-2549-prompts-list-caching-hints',
    'sep-2549-resources-list-caching-hints',
    'sep-2549-resources-templates-list-caching-hints',
  ],
  'calls a tool of the demo server': [
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-server-no-log-without-loglevel',
  ],
  'subscriptions are refused, because tools never change (decision 0113)': [
    'sep-2575-server-sends-subscription-ack',
    'sep-2575-server-tags-subscription-id',
  ],
}

/** The names of result folders end with a time, such as `-2026-01-01T00-00-00-000Z`. */
const TIME_LENGTH = 25

interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  errorMessage?: string
}

const folder = mkdtempSync(join(tmpdir(), 'mcp-conformance-'))

// The suite cannot send an API key, so a proxy adds it.
let target = ''
let key = ''
const proxy = createServer((incoming, outgoing) => {
  const { method, url, headers } = incoming
  const options = { method, headers: { ...headers, authorization: `Bearer ${key}` } }
  const forwarded = request(target + url, options, (answer) => {
    outgoing.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(outgoing)
  })
  forwarded.on('error', () => outgoing.destroy())
  incoming.pipe(forwarded)
}).listen(0, '127.0.0.1')
await once(proxy, 'listening')
const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`

/** Runs the suite and prints each scenario. Returns the number of failed checks that apply to the board. */
async function run(revision: string): Promise<number> {
  const results = join(folder, revision)
  const suite = ['--yes', SUITE, 'server', '--url', `${address}/v1/mcp`, '--requirements', revision, '-o', results]
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
  const child = spawn('npx', suite, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PATH },
  })
  await once(child, 'exit')
  const files = globSync('*/checks.json', { cwd: results }).sort()
  if (files.length === 0) throw new Error(`${SUITE} did not run`)
  console.log(`\nRevision ${revision}`)
  const skipped = new Map<string, number>()
  let failed = 0
  for (const file of files) {
    const scenario = basename(dirname(file))
      .replace(/^server-/, '')
      .slice(0, -TIME_LENGTH)
    const reason = reasonIn(inapplicable, (start) => scenario.startsWith(start))
    if (reason !== undefined) {
      skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
      continue
    }
    const checks: Check[] = JSON.parse(readFileSync(join(results, file), 'utf8'))
    const passed = checks.filter(({ status }) => status === 'SUCCESS')
    const failures = checks
      .filter(({ status }) => status === 'FAILURE')
      .filter(({ id }) => reasonIn(inapplicableChecks, (known) => known === id) === undefined)
    console.log(`${scenario.padEnd(32)}${passed.length} passed, ${failures.length} failed`)
    for (const { id, errorMessage } of failures) console.log(`  ${id}: ${errorMessage}`)
    failed += failures.length
  }
  for (const [reason, count] of skipped) console.log(`${count} scenarios do not apply: ${reason}`)
  return failed
}

const reasonIn = (table: Record<string, readonly string[]>, matches: (name: string) => boolean) =>
  Object.keys(table).find((reason) => table[reason]!.some(matches))

try {
  const server = await startServer(
    SERVE,
    { DATA_DIR: join(folder, 'data'), PUBLIC_BASE_URL: address, LOG_LEVEL: 'fatal' },
    '/readyz',
  )
  target = server.origin
  key = await employer(target)
  let failed = 0
  for (const revision of REVISIONS) failed += await run(revision)
  await server.stop()
  console.log(`\n${failed} applicable checks failed`)
  process.exitCode = failed > 0 ? 1 : 0
} finally {
  killServers()
  proxy.close()
  rmSync(folder, { recursive: true, force: true })
}
