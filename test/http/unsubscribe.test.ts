/** Unsubscribing: a page that changes nothing, and a POST that works without signing in. */

import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installationSecret } from '../../src/db/installation-secret.ts'
import { signToken } from '../../src/lib/signed-token.ts'
import { ALERTS, makeAlert } from '../support/alerts.ts'
import { type Account, useBoard } from '../support/board.ts'
import { mailsIn, newDataFolder, runAlerts, unsubscribePath } from '../support/mails.ts'

const folder = newDataFolder()
const board = useBoard({ DATA_DIR: folder })
afterAll(() => rmSync(folder, { recursive: true }))

let candidate: Account
let alert: { id: string }
let path: string
beforeAll(async () => {
  candidate = await board.candidate()
  const employer = await board.employer()
  alert = await makeAlert(board, candidate, { name: '<i>Vans</i>', frequency: 'instant' })
  await board.activeJob(employer, { title: 'Van' })
  await runAlerts(board)
  path = unsubscribePath((await mailsIn(folder))[0]!)
})
const isActive = async () => (await board.get(`${ALERTS}/${alert.id}`, candidate.key)).body.data.is_active
const post = (to: string, body: string, type: string) =>
  board.call('POST', to, { body, headers: { 'content-type': type } })

test('GET shows a page with a button, and neither GET nor HEAD changes anything', async () => {
  const page = await board.get(path)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(page.text).toContain('the job alert “&lt;i&gt;Vans&lt;/i&gt;”')
  expect(page.text).toContain('<form method="post">')
  expect(page.text).toContain('<title>Unsubscribe · Job Marketplace</title>')
  expect(page.text).toMatch(
    /<header class="top"><a class="brand" href="\/"><svg.*<\/svg>Job Marketplace<\/a><\/header>/,
  )
  expect(page.text).toContain('<footer class="foot"><ul><li><a href="/">Back to Job Marketplace</a></li></ul></footer>')
  expect((await board.call('HEAD', path)).status).toBe(200)
  expect(await isActive()).toBe(true)
})

test("the form and the confirmation are in the browser's language", async () => {
  const headers = { 'accept-language': 'de', 'content-type': 'application/x-www-form-urlencoded' }
  const page = await board.call('GET', path, { headers: { 'accept-language': 'de' } })
  expect(page.text).toContain('<html lang="de">')
  expect(page.text).toContain('<title>Abbestellen · Job Marketplace</title>')
  const result = await board.call('POST', path, { body: 'List-Unsubscribe=One-Click', headers })
  expect(result.text).toContain('<h1>Abbestellt</h1>')
  expect(result.text).toContain('Sie erhalten keine E-Mails mehr')
})

describe('POST', () => {
  const boundary = '--x\r\ncontent-disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'
  test.each([
    ['the form that email programs send', 'List-Unsubscribe=One-Click', 'application/x-www-form-urlencoded'],
    ['a multipart form', boundary, 'multipart/form-data; boundary=x'],
    ['an empty form', '', 'application/x-www-form-urlencoded'],
  ])('stops the emails with %s, and may be repeated', async (_what, body, type) => {
    await board.put(`${ALERTS}/${alert.id}`, candidate.key, { is_active: true })
    for (let time = 0; time < 2; time++) {
      const answer = await post(path, body, type)
      expect([answer.status, answer.text.includes('Unsubscribed')]).toEqual([200, true])
      expect(await isActive()).toBe(false)
    }
    expect((await board.get(`${ALERTS}/${alert.id}`, candidate.key)).body.data.next_run_at).toBeNull()
  })

  test('works without a body', async () => {
    await board.put(`${ALERTS}/${alert.id}`, candidate.key, { is_active: true })
    expect((await board.call('POST', path)).status).toBe(200)
    expect(await isActive()).toBe(false)
  })

  test('refuses a long body', async () => {
    const answer = await post(path, 'x'.repeat(20_000), 'application/x-www-form-urlencoded')
    expect(answer.status).toBe(413)
  })
})

describe('an invalid token', () => {
  const token = () => path.split('/').at(-1)!
  test.each<[string, () => string]>([
    ['changed at the end', () => token().slice(0, -1) + (token().endsWith('A') ? 'B' : 'A')],
    ['changed at the beginning', () => (token().startsWith('A') ? 'B' : 'A') + token().slice(1)],
    ['in another encoding', () => `${token()}=`],
    ['without a signature', () => Buffer.from(`job-alert ${alert.id}`).toString('base64url')],
    ['signed with another secret', () => signToken(new Uint8Array(32), `job-alert ${alert.id}`)],
    ['meaningless', () => 'x'],
    ['a NUL', () => '%00'],
  ])('gets 404 if it is %s', async (_what, forged) => {
    await board.put(`${ALERTS}/${alert.id}`, candidate.key, { is_active: true })
    const to = `/unsubscribe/${forged()}`
    expect((await board.get(to)).status).toBe(404)
    expect((await post(to, 'List-Unsubscribe=One-Click', 'application/x-www-form-urlencoded')).status).toBe(404)
    expect(await isActive()).toBe(true)
  })

  test.each([
    'job-alert alert_00000000000000000000000000',
    'newsletter x',
    '__proto__ x',
    'toString x',
    '',
    'job-alert',
  ])('gets 404 if its signed text is invalid or names nothing that exists: %j', async (text) => {
    const secret = await installationSecret(board.database, 'unsubscribe')
    const to = `/unsubscribe/${signToken(secret, text)}`
    expect((await board.get(to)).status).toBe(404)
    expect((await board.call('POST', to)).status).toBe(404)
  })
})

test('methods other than GET, HEAD and POST are not allowed', async () => {
  for (const method of ['PUT', 'DELETE', 'PATCH']) expect((await board.call(method, path)).status).toBe(405)
})
