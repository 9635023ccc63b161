/** Prepares a release in a copy of the repository, and starts the service from the released archive. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Collection } from '../../scripts/collection.ts'
import { operationsOf } from '../../src/http/openapi-document.ts'
import { copyMigratedDatabase } from '../support/database.ts'
import { freePort, ServiceProcess } from '../support/process.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const VERSION = '9.8.7-rc.1'

// A copy of the repository without its history cannot be released.
describe.runIf(existsSync(join(root, '.git')))('scripts/release.ts', () => {
  let folder: string
  const git = async (...args: string[]) => {
    const author = ['-c', 'user.name=Release', '-c', 'user.email=release@board.example']
    return (await run('git', [...author, ...args], { cwd: join(folder, 'copy') })).stdout.trim()
  }
  const releaseIn = (...args: string[]) =>
    run(process.execPath, [join(folder, 'copy/scripts/release.ts'), ...args], {
      env: {
        ...process.env,
        ...{ GIT_AUTHOR_NAME: 'Release', GIT_AUTHOR_EMAIL: 'release@board.example' },
        ...{ GIT_COMMITTER_NAME: 'Release', GIT_COMMITTER_EMAIL: 'release@board.example' },
      },
    })
  const released = (name: string) => readFile(join(folder, 'copy/release', name))
  const jsonOf = async (name: string) => JSON.parse(String(await released(name)))

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'job-marketplace-release-'))
    const listed = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      ...{ cwd: root, maxBuffer: 10_000_000 },
    })
    for (const file of listed.stdout.split('\0').filter((name) => name && existsSync(join(root, name)))) {
      await mkdir(dirname(join(folder, 'copy', file)), { recursive: true })
      await cp(join(root, file), join(folder, 'copy', file))
    }
    await symlink(join(root, 'node_modules'), join(folder, 'copy/node_modules'))
    await git('init', '--quiet')
    await git('add', '--all')
    await git('commit', '--quiet', '--message', 'Copy')
    await releaseIn(VERSION)
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('commits and tags the version, and dates the changelog', async () => {
    expect(await git('tag', '--list')).toBe(`v${VERSION}`)
    expect(await git('log', '--format=%s', '-1')).toBe(`Release ${VERSION}`)
    expect(await git('status', '--porcelain')).toBe('')
    for (const name of ['package.json', 'packages/client/package.json', 'package-lock.json']) {
      const text = await readFile(join(folder, 'copy', name), 'utf8')
      expect(JSON.parse(text).version, name).toBe(VERSION)
      expect(text).not.toContain('"resolved": "http')
    }
    const lock = JSON.parse(await readFile(join(folder, 'copy/package-lock.json'), 'utf8'))
    expect([lock.packages[''].version, lock.packages['packages/client'].version]).toEqual([VERSION, VERSION])
    const changelog = await readFile(join(folder, 'copy/CHANGELOG.md'), 'utf8')
    expect(changelog).toMatch(/## Unreleased\n\n## 9\.8\.7-rc\.1 \(\d{4}-\d\d-\d\d\)\n/)
    expect(changelog).not.toContain('Nothing has been released yet')
  })

  test('lists the checksum and the origin of each file', async () => {
    const sums = String(await released('SHA256SUMS'))
      .trim()
      .split('\n')
      .map((line) => line.split('  '))
    const files = (await readdir(join(folder, 'copy/release'))).sort()
    expect(
      sums
        .map(([, name]) => name)
        .concat('SHA256SUMS')
        .sort(),
    ).toEqual(files)
    for (const [sum, name] of sums) {
      expect(
        createHash('sha256')
          .update(await released(name!))
          .digest('hex'),
        name,
      ).toBe(sum)
    }
    const { subject, predicate, ...statement } = await jsonOf('provenance.json')
    expect(statement).toEqual({
      _type: 'https://in-toto.io/Statement/v1',
      predicateType: 'https://slsa.dev/provenance/v1',
    })
    expect(Object.keys(predicate).sort()).toEqual(['buildDefinition', 'runDetails'])
    for (const uri of [predicate.buildDefinition.buildType, predicate.runDetails.builder.id]) {
      expect(URL.canParse(uri)).toBe(true)
    }
    expect(predicate.buildDefinition.externalParameters).toBeTypeOf('object')
    expect(subject).toEqual(
      sums.filter(([, name]) => name !== 'provenance.json').map(([sha256, name]) => ({ name, digest: { sha256 } })),
    )
    expect(predicate.buildDefinition.resolvedDependencies[0].digest.gitCommit).toBe(await git('rev-parse', 'HEAD'))
    expect(await jsonOf('sbom.json')).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { version: VERSION } },
    })
    const client = await run('tar', ['-tzf', join(folder, `copy/release/job-marketplace-client-${VERSION}.tgz`)])
    expect(client.stdout.split('\n')).toContain('package/dist/index.js')
  })

  test('includes the OpenAPI document and a collection of all operations', async () => {
    const document = await jsonOf('openapi.json')
    expect(document.info.version).toBe(VERSION)
    expect(document.servers).toEqual([{ url: 'https://jobs.example.com/v1' }])
    const { item, variable }: Collection = await jsonOf('collection.json')
    expect(variable).toContainEqual({ key: 'base_url', value: 'https://jobs.example.com/v1' })
    const requests = item.flatMap((one) => one.item.map(({ request }) => request))
    const named = ({ method, url }: (typeof requests)[number]) =>
      `${method} /${url.path.map((part) => part.replace(/^:(.+)/, '{$1}')).join('/')}`
    expect(requests.map(named).sort()).toEqual(
      operationsOf(document)
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    )
    const create = requests.find((request) => named(request) === 'POST /jobs')!
    expect(JSON.parse((create.body as { raw: string }).raw)).toHaveProperty('title')
    const resume = requests.find((request) => named(request) === 'PUT /jobs/{id}')!
    expect(resume.url.variable[0]!.value).toMatch(/^job_/)
  })

  test('refuses a malformed or existing version, and an existing release folder', async () => {
    await expect(releaseIn('1.0')).rejects.toThrow('Usage')
    await expect(releaseIn(VERSION)).rejects.toThrow(`The tag v${VERSION} exists.`)
    await expect(releaseIn('9.8.8')).rejects.toThrow('The folder release/ exists.')
  })

  test('packs an archive from which the service starts and serves its pages', async () => {
    const installed = join(folder, `job-marketplace-${VERSION}`)
    await run('tar', ['-xzf', join(folder, `copy/release/job-marketplace-${VERSION}.tar.gz`), '-C', folder])
    await symlink(join(root, 'node_modules'), join(installed, 'node_modules'))
    const port = await freePort()
    copyMigratedDatabase(join(folder, 'data'))
    const service = new ServiceProcess(
      ['serve'],
      { PORT: String(port), DATA_DIR: join(folder, 'data') },
      { root: installed },
    )
    try {
      await service.printed(/"working"/)
      for (const path of ['/', '/jobs', '/docs/guide', '/docs/errors', '/docs/agents', '/v1/docs', '/llms.txt']) {
        expect((await fetch(`http://127.0.0.1:${port}${path}`)).status, path).toBe(200)
      }
      const document = await (await fetch(`http://127.0.0.1:${port}/v1/openapi.json`)).json()
      expect(document).toMatchObject({ info: { version: VERSION } })
    } finally {
      expect(await service.signal('SIGTERM')).toMatchObject({ code: 0 })
    }
  })
})
