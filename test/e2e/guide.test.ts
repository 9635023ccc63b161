/** Follows the guide as a new user would: runs every command in order on a new trial board. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { copyMigratedDatabase } from '../support/database.ts'
import { freePort, ServiceProcess } from '../support/process.ts'

const prefixes: Record<string, string> = {
  ...{ key: 'key_', resume: 'res_', candidate: 'cand_', employer: 'emp_', member: 'mem_', claim: 'claim_' },
}

/**
 * Joins the shell blocks into one script that stops at the first refused request. Replaces the guide's IDs and keys
 * with the values in the latest responses.
 */
async function scriptOf(document: URL, base: string): Promise<string> {
  const blocks = [...(await readFile(document, 'utf8')).matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block)
  const commands = blocks
    .join('')
    .replace(/^BASE=.*$/m, `BASE=${base}`)
    .replaceAll(/=(\w+_)…$/gm, '=$(last $1)')
    .replaceAll(/<(\w+)_id>/g, (_, name: string) => `$(last ${prefixes[name]})`)
  return `set -euo pipefail
last() { grep -oE "\\b$1[0-9A-Za-z]{26,}" answers | tail -n 1; }
curl() { command curl --fail-with-body "$@" | tee -a answers; }
${commands}`
}

test.skipIf(spawnSync('curl', ['--version']).error)('every command in the guide works', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'job-marketplace-guide-'))
  const port = await freePort()
  copyMigratedDatabase(join(folder, 'data'))
  const trial = new ServiceProcess(['trial'], { PORT: String(port), DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'info' })
  try {
    await trial.printed(/employers\/applications' -H .+\n/)
    await writeFile(join(folder, 'answers'), trial.stdout)
    const script = await scriptOf(new URL('../../docs/guide.md', import.meta.url), `http://127.0.0.1:${port}/v1`)
    const bash = spawn('bash', ['-xc', script], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [bash.stdout, bash.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    const [code] = await once(bash, 'close')
    expect(code, output.slice(-3_000)).toBe(0)
    expect(output.match(/\+ curl -s/g)!.length).toBeGreaterThan(30)
  } finally {
    await trial.signal('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
})
