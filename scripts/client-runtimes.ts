/**
 * Checks the packed client in an empty folder: `node bin/node.js scripts/client-runtimes.ts`. Compiles a program with
 * TypeScript 5.9, 6 and 7. Runs the program against a new board on Node 20, 22, 24 and 26, Deno and Bun. Downloads the
 * compilers and runtimes from npm. Exits with code 1 if one fails, or if the outputs of the runtimes differ.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { employer } from '../bench/acknowledged.ts'
import { killServers, SERVE, startServer } from '../bench/processes.ts'
import { newJobs } from '../bench/workload.ts'
import { JobMarketplace } from '../packages/client/src/index.ts'

const repository = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'client-runtimes-'))
const node = (version: number) => [`npm:node-${process.platform}-${process.arch}@${version}`, 'bin/node'] as const

/** Compilers and runtimes by folder name: the npm package, the program in the package, and its first arguments. */
const compilers = {
  'typescript-5.9': ['npm:typescript@~5.9', 'bin/tsc'],
  'typescript-6': ['npm:typescript@6', 'bin/tsc'],
  'typescript-7': ['npm:typescript@7', 'bin/tsc'],
} as const
const runtimes = {
  'node-20': node(20),
  'node-22': node(22),
  'node-24': node(24),
  'node-26': node(26),
  deno: ['npm:deno@2', 'bin.cjs', 'run', '--allow-net', '--allow-env'],
  bun: ['npm:bun@1', 'bin/bun.exe'],
} as const

const compilerOptions = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
  ...{ target: 'es2022', module: 'nodenext', lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] },
}

/** Returns a program that creates a job, reads a page, all pages and the event stream, and handles an error. */
const programOf = (baseUrl: string, apiKey: string, job: string) => `
import { type CreateJobBody, type JobOfOwner, JobMarketplace, JobMarketplaceError } from '@job-marketplace/client'
const board = new JobMarketplace({ baseUrl: '${baseUrl}', apiKey: '${apiKey}' })
const body: CreateJobBody = ${job}
const { id, title }: JobOfOwner = await board.jobs.create(body, { idempotencyKey: 'once' })
console.log(title, (await board.jobs.create(body, { idempotencyKey: 'once' })).id === id)
const { data, meta } = await board.jobs.list({ limit: 1 })
console.log(data.length, meta.pagination.total)
for await (const own of board.jobs.listAllOwn()) console.log(own.title)
for await (const { event } of board.events.stream({}, { signal: AbortSignal.timeout(60_000) })) {
  console.log(event.type)
  break
}
// @ts-expect-error Jobs have no color.
const refused: Promise<unknown> = board.jobs.list({ color: 'red' })
await refused.catch((error) => {
  if (error instanceof JobMarketplaceError) console.log(error.status, error.code)
})
`

let failed = 0
/** Runs a program in the folder, and prints whether it succeeds. */
function check(name: string, [, file, ...first]: readonly [string, string, ...string[]], args: string[]): string {
  const program = join(folder, 'node_modules', name, file)
  const { status, stdout, stderr } = spawnSync(program, [...first, ...args], { cwd: folder, encoding: 'utf8' })
  console.log(`${name.padEnd(16)}${status === 0 ? 'passed' : `failed\n${stdout}${stderr}`}`)
  if (status !== 0) failed++
  return stdout
}

function npm(cwd: string, ...args: string[]): void {
  const { status } = spawnSync('npm', [...args, '--loglevel', 'error'], { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`npm ${args[0]} failed`)
}

try {
  npm(join(repository, 'packages/client'), 'pack', '--pack-destination', folder)
  const packed = readdirSync(folder).find((name) => name.endsWith('.tgz'))!
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['program.ts'] }))
  const others = Object.entries({ ...compilers, ...runtimes }).map(([name, [source]]) => `${name}@${source}`)
  npm(folder, 'install', `./${packed}`, ...others)

  const server = await startServer(SERVE, { DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'fatal' }, '/readyz')
  const key = await employer(server.origin)
  const board = new JobMarketplace({ baseUrl: server.origin, apiKey: key })
  await board.jobs.create(JSON.parse(newJobs(1, 1)[0]!))
  writeFileSync(join(folder, 'program.ts'), programOf(server.origin, key, newJobs(1, 2)[0]!))
  for (const [name, compiler] of Object.entries(compilers)) check(name, compiler, [])
  const outputs = Object.entries(runtimes).map(([name, runtime]) => check(name, runtime, ['program.js']))
  if (new Set(outputs).size > 1) throw new Error(`The outputs differ: ${outputs.join('\n')}`)
  console.log(`\nOutput of each:\n${outputs[0]}`)
  await server.stop()
  process.exitCode = failed > 0 ? 1 : 0
} finally {
  killServers()
  rmSync(folder, { recursive: true, force: true })
}
