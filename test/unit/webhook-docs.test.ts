/** Runs the verifiers from docs/webhooks.md, and the example receiver. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import vectors from '../../docs/webhook-vectors.json' with { type: 'json' }
import { createWebhookClient } from '../../src/features/webhooks/webhooks.client.ts'
import { createGuard } from '../../src/features/webhooks/webhooks.guard.ts'
import { newWebhookSecret } from '../../src/features/webhooks/webhooks.signature.ts'
import { systemClock } from '../../src/lib/time.ts'
import { makeCertificate } from '../support/receivers.ts'

const text = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')
const RECEIVER = fileURLToPath(new URL('../../examples/webhook-receiver/receiver.mjs', import.meta.url))
const codeOf = (language: string) => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(text)![1]!

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'job-marketplace-hooks-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const cases = [
  ...vectors.signed.flatMap(({ secrets, timestamp, ...vector }) =>
    secrets.map((secret) => ({ ...vector, secret, now: timestamp, isValid: true })),
  ),
  ...vectors.accepted.map((vector) => ({ ...vector, secret: vector.secrets[0]!, isValid: true })),
  ...vectors.refused.map((vector) => ({ ...vector, secret: vector.secrets[0]!, isValid: false })),
].map(({ body, secret, now, isValid, ...vector }) => ({
  body,
  header: vector['X-Service-Signature'],
  secret,
  now,
  isValid,
}))

/** For each language, a program that prints each case's result, and the command to run the program. */
const languages: Record<string, { file: string; run: string[]; program(): string; more?: Record<string, string> }> = {
  js: {
    file: 'verify.mjs',
    run: [process.execPath, 'verify.mjs'],
    program: () => `${codeOf('js')}
import { readFileSync } from 'node:fs'
const cases = JSON.parse(readFileSync('cases.json'))
console.log(JSON.stringify(cases.map((one) => verify(Buffer.from(one.body), one.header, one.secret, one.now))))`,
  },
  python: {
    file: 'verify.py',
    run: ['python3', 'verify.py'],
    program: () => `${codeOf('python')}
import json
cases = json.load(open("cases.json", encoding="utf-8"))
print(json.dumps([verify(one["body"].encode(), one["header"], one["secret"], one["now"]) for one in cases]))`,
  },
  go: {
    file: 'verify.go',
    run: ['go', 'run', 'verify.go', 'main.go'],
    program: () => codeOf('go').replace('package webhook', 'package main'),
    more: {
      'main.go': `package main
import ("encoding/json"; "os"; "time")
func main() {
	var cases []struct { Body, Header, Secret string; Now int64 }
	file, _ := os.Open("cases.json")
	json.NewDecoder(file).Decode(&cases)
	verdicts := []bool{}
	for _, one := range cases { verdicts = append(verdicts, Verify([]byte(one.Body), one.Header, one.Secret, time.Unix(one.Now, 0))) }
	json.NewEncoder(os.Stdout).Encode(verdicts)
}`,
    },
  },
  php: {
    file: 'verify.php',
    run: ['php', 'verify.php'],
    program: () => `<?php ${codeOf('php')}
$cases = json_decode(file_get_contents('cases.json'), true);
echo json_encode(array_map(fn($one) => verify($one['body'], $one['header'], $one['secret'], $one['now']), $cases));`,
  },
  ruby: {
    file: 'verify.rb',
    run: ['ruby', 'verify.rb'],
    program: () => `${codeOf('ruby')}
require "json"
cases = JSON.parse(File.read("cases.json", encoding: "utf-8"))
puts JSON.generate(cases.map { |one| verify(one["body"], one["header"], one["secret"], one["now"]) })`,
  },
}

const isThere = (program: string) => {
  const { error, status } = spawnSync(program, [program === 'go' ? 'version' : '--version'])
  return error === undefined && status === 0
}

describe('the verifier of docs/webhooks.md', () => {
  for (const [language, { file, run, program, more = {} }] of Object.entries(languages)) {
    test(`judges every vector correctly in ${language}`, async ({ skip }) => {
      skip(!isThere(run[0]!), `${run[0]} is not installed`)
      for (const [name, content] of Object.entries({
        ...more,
        [file]: program(),
        'cases.json': JSON.stringify(cases),
      })) {
        await writeFile(join(folder, name), content)
      }
      const { stdout, stderr } = spawnSync(run[0]!, run.slice(1), { cwd: folder, encoding: 'utf8' })
      expect(stderr).toBe('')
      expect(JSON.parse(stdout)).toEqual(cases.map(({ isValid }) => isValid))
    })
  }
})

test('examples/webhook-receiver processes each event once, and refuses forged and oversized requests', async () => {
  const certificate = await makeCertificate(['127.0.0.1'])
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  await writeFile(cert, certificate.cert)
  await writeFile(key, certificate.key)
  const secret = newWebhookSecret()
  const child = spawn(process.execPath, [RECEIVER], {
    env: { SECRET: secret, CERT: cert, KEY: key, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    output += more
  })
  while (!output.includes('\n')) await once(child.stdout, 'data')
  const url = /https:\S+/.exec(output)![0]
  const client = createWebhookClient({
    guard: createGuard({ allowCidrs: ['127.0.0.0/8'] }),
    clock: systemClock,
    timeoutMs: 5_000,
    ca: certificate.cert,
  })
  const body = JSON.stringify({ id: 'evt_1', type: 'job.created', created_at: '2026-03-02T09:00:00.000Z', data: {} })
  const send = (secrets: string[], sent = body) =>
    client.send({ url, body: sent, secrets, eventId: 'evt_1', eventType: 'job.created', deliveryId: 'd', number: 1 })
  const statuses = []
  for (const secrets of [[secret], [secret], ['old', secret], ['another secret']]) {
    statuses.push((await send(secrets)).status)
  }
  statuses.push((await send([secret], 'x'.repeat(600_000))).status)
  expect(statuses).toEqual([200, 200, 200, 401, 413])
  expect(output.match(/job\.created evt_1/g)).toHaveLength(1)
  await client.close()
  child.kill()
  await once(child, 'exit')
})
