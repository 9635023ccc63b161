/**
 * Prepares a release: sets the version of the service and the client, dates the changelog, commits and tags. Writes the
 * files of the release to `release/`. Publishes nothing. See CONTRIBUTING.md.
 *
 * node bin/node.js scripts/release.ts 1.0.0-rc.1
 */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { OpenApiDocument } from '../src/http/openapi-document.ts'
import { collectionOf } from './collection.ts'

const VERSION = /^\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?$/
/** The board's origin in the published OpenAPI document. */
const EXAMPLE_ORIGIN = 'https://jobs.example.com'
const BUILDERS = ['docker', 'podman', 'buildah']

const repository = join(import.meta.dirname, '..')
const folder = join(repository, 'release')
const run = (file: string, ...args: string[]) => execFileSync(file, args, { cwd: repository, encoding: 'utf8' }).trim()
const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
const sha256 = (name: string) =>
  createHash('sha256')
    .update(readFileSync(join(folder, name)))
    .digest('hex')

function fail(text: string): never {
  console.error(text)
  process.exit(1)
}

/** Moves the unreleased changes below a heading with the version and the date. */
function dateChangelog(version: string): void {
  const file = join(repository, 'CHANGELOG.md')
  const text = readFileSync(file, 'utf8')
  const changes = text.split(/^## /m).find((section) => section.startsWith('Unreleased\n'))
  if (!changes?.includes('\n- ')) fail('CHANGELOG.md lists no unreleased changes.')
  const today = new Date().toISOString().slice(0, 10)
  const dated = text.replace('## Unreleased\n', `## Unreleased\n\n## ${version} (${today})\n`)
  writeFileSync(file, dated.replace(' Nothing has been released yet.', ''))
}

/** Reads the OpenAPI document from a new board. */
async function readApiDocument(): Promise<OpenApiDocument> {
  const data = mkdtempSync(join(tmpdir(), 'release-'))
  const board = spawn(process.execPath, [join(repository, 'bin/job-marketplace.js'), 'serve'], {
    cwd: repository,
    env: { PATH: process.env.PATH, PORT: '3918', DATA_DIR: data, PUBLIC_BASE_URL: EXAMPLE_ORIGIN, STOP_DELAY_S: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    for await (const line of createInterface(board.stdout)) if (line.includes('"listening"')) break
    board.stdout.resume()
    return (await (await fetch('http://127.0.0.1:3918/v1/openapi.json')).json()) as OpenApiDocument
  } finally {
    const ended = new Promise((resolve) => board.once('close', resolve))
    board.kill()
    await ended
    rmSync(data, { recursive: true })
  }
}

/** Builds the image if a builder works on this machine. Otherwise, the release contains no image. */
function buildImage(version: string): void {
  const builder = BUILDERS.find((name) => {
    try {
      return run(name, 'info') !== ''
    } catch {
      return false
    }
  })
  const tag = `job-marketplace:${version}`
  const archive = join(folder, `job-marketplace-${version}-image.tar`)
  if (builder === undefined) {
    console.warn(`No image: none of ${BUILDERS.join(', ')} runs here.`)
    return
  }
  run(builder, 'build', ...(builder === 'docker' ? [] : ['--format', 'docker']), '--tag', tag, '.')
  if (builder === 'buildah') run(builder, 'push', tag, `oci-archive:${archive}:${tag}`)
  else run(builder, 'save', ...(builder === 'podman' ? ['--format', 'oci-archive'] : []), '--output', archive, tag)
}

/** Returns an in-toto statement that names the commit from which each file was built. The statement is not signed. */
function provenanceOf(version: string, files: readonly string[]): object {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map((name) => ({ name, digest: { sha256: sha256(name) } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:job-marketplace:release',
        externalParameters: { command: `node bin/node.js scripts/release.ts ${version}` },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: run('git', 'rev-parse', 'HEAD') } },
          { name: 'package-lock.json', digest: { sha256: sha256('../package-lock.json') } },
        ],
      },
      runDetails: { builder: { id: 'urn:job-marketplace:scripts/release.ts', version: { node: process.version } } },
    },
  }
}

const [version = ''] = process.argv.slice(2)
if (!VERSION.test(version)) fail('Usage: node bin/node.js scripts/release.ts VERSION, such as 1.2.3 or 1.2.3-rc.1')
if (run('git', 'status', '--porcelain') !== '') fail('The repository has uncommitted changes.')
if (run('git', 'tag', '--list', `v${version}`) !== '') fail(`The tag v${version} exists.`)
if (existsSync(folder)) fail('The folder release/ exists. Move or delete it first.')

dateChangelog(version)
// By default, npm would install every package again to set the client's version in the lock file.
const workspaces = ['--workspaces', '--include-workspace-root', '--no-workspaces-update']
run('npm', 'version', version, '--no-git-tag-version', ...workspaces)
run('npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund')
run('git', 'commit', '--quiet', '--all', '--message', `Release ${version}`)

mkdirSync(folder)
const archive = `job-marketplace-${version}`
run('git', 'archive', `--prefix=${archive}/`, `--output=${join(folder, `${archive}.tar.gz`)}`, 'HEAD')
run('npm', 'pack', '--workspace', 'packages/client', '--pack-destination', folder)
const document = await readApiDocument()
write('openapi.json', json(document))
write('collection.json', json(collectionOf(document)))
write('sbom.json', `${run('npm', 'run', '--silent', 'sbom')}\n`)
buildImage(version)
const files = readdirSync(folder).sort()
write('provenance.json', json(provenanceOf(version, files)))
write('SHA256SUMS', [...files, 'provenance.json'].map((name) => `${sha256(name)}  ${name}\n`).join(''))
run('git', 'tag', '--annotate', `v${version}`, '--message', `Release ${version}`)
console.log(`Release ${version} is in release/. To publish it, see CONTRIBUTING.md.`)
