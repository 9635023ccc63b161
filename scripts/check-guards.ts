/**
 * Checks that the tests detect a missing webhook guard. Removes or weakens each guard in turn in a copy of the code,
 * and expects the webhook client's tests to fail there. Not part of `npm test`. Run `node scripts/check-guards.ts`.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const TEST = 'test/unit/webhook-client.test.ts'
const CONNECTIONS = 'src/features/webhooks/webhooks.connections.ts'
const CLIENT = 'src/features/webhooks/webhooks.client.ts'

/**
 * The guards, each with a text to replace, which must occur exactly once in its file. `none` replaces nothing, so the
 * tests must pass.
 */
const guards: Record<string, [file: string, text: string, instead: string]> = {
  none: [CLIENT, '', ''],
  literal: [CONNECTIONS, 'if (isLiteral && this.#guard.isBlocked(host)) throw blocked()', ''],
  lookup: [
    CONNECTIONS,
    'if (addresses.some(({ address }) => this.#guard.isBlocked(address))) return [blocked(), []]',
    '',
  ],
  'every address': [CONNECTIONS, 'addresses.some(({ address })', 'addresses.every(({ address })'],
  'empty response': [
    CONNECTIONS,
    "if (addresses.length === 0) return [new Failure('dns', 'The host name could not be resolved to an IP address.'), []]",
    "if (addresses.length === 0) return [null, [{ address: '127.0.0.1', family: 4 }]]",
  ],
  peer: [CONNECTIONS, "if (this.#guard.isBlocked(socket.remoteAddress ?? '')) socket.destroy(blocked())", ''],
  // undici follows redirects only with an interceptor.
  redirect: [
    CLIENT,
    'await client.request({',
    "await client.compose((await import('undici')).interceptors.redirect({ maxRedirections: 3 })).request({",
  ],
  'redirect status': [CLIENT, 'status <= 299', 'status <= 399'],
  scheme: [CLIENT, "url?.protocol !== 'https:'", 'url === null'],
  certificate: [CONNECTIONS, 'rejectUnauthorized: true', 'rejectUnauthorized: false'],
  'TLS version': [CONNECTIONS, "minVersion: 'TLSv1.2'", "minVersion: 'TLSv1'"],
}
const copy = mkdtempSync(join(tmpdir(), 'job-marketplace-guards-'))
try {
  for (const part of [
    'src/features/webhooks',
    'src/lib',
    TEST,
    'test/support/receivers.ts',
    'package.json',
    'tsconfig.json',
  ]) {
    cpSync(join(ROOT, part), join(copy, part), { recursive: true })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'dir')
  for (const [name, [file, text, instead]] of Object.entries(guards)) {
    const source = readFileSync(join(ROOT, file), 'utf8')
    if (text !== '' && source.split(text).length !== 2)
      throw new Error(`${name}: the text to remove does not occur exactly once in ${file}`)
    writeFileSync(
      join(copy, file),
      source.replace(text, () => instead),
    )
    const vitest = join(copy, 'node_modules/vitest/vitest.mjs')
    const { status, stdout } = spawnSync(process.execPath, [vitest, 'run', TEST, '--testTimeout', '10000'], {
      cwd: copy,
      encoding: 'utf8',
    })
    writeFileSync(join(copy, file), source)
    const failed = /(\d+) failed/.exec(stdout.replace(/.*Test Files.*/, ''))?.[1] ?? '0'
    const isRight = (status === 0) === (name === 'none')
    console.log(`${isRight ? 'ok  ' : 'LOST'} without ${name}: ${failed} tests fail`)
    if (!isRight) process.exitCode = 1
  }
} finally {
  rmSync(copy, { recursive: true, force: true })
}
