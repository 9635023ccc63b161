/** The console: API keys, webhooks, deliveries and events, without JavaScript. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { eventTypes } from '../../src/events/catalogue.ts'
import { EventTail } from '../../src/features/events/events.tail.ts'
import { isMessageKey } from '../../src/locale/messages.ts'
import { type Account, expectStatus, ORIGIN, useBoard } from '../support/board.ts'
import { faultOf, type Page, type Visitor, visitor } from '../support/pages.ts'
import { openStream } from '../support/streams.ts'
import { runTask } from '../support/tasks.ts'
import { deliveriesOf, dispatch, hookUrl, makeDelivery, makeWebhook } from '../support/webhooks.ts'

const board = useBoard()
const HOOKS = '/console/webhooks'
const KEYS = '/console/keys'

/** Returns the decoded text of elements. The parser does not decode the text of `pre` elements. */
function textsOf(page: Page, selector: string): string[] {
  const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
  return page.document
    .querySelectorAll(selector)
    .map(({ rawText }) => rawText.replace(/<[^>]+>/g, '').replace(/&([a-z]+|#39);/g, (_, name) => entities[name]!))
}

const copied = (page: Page, label: string) => textsOf(page, `pre[aria-label="${label}"]`)[0]!

const commandsOf = (page: Page) => textsOf(page, '.api-calls pre')

/** Runs a command that a page shows, as a user would, and returns the HTTP status of the response. */
async function run(command: string, { key }: Pick<Account, 'key'>): Promise<number> {
  const script = command.replace(ORIGIN, board.address).replace(/^curl/, "curl -s -o /dev/null -w '%{http_code}'")
  const { stdout } = await promisify(execFile)('sh', ['-c', script], { env: { PATH: process.env.PATH, API_KEY: key } })
  return Number(stdout)
}

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`

function expectNoMarkup(page: Page): void {
  expect(page.text).not.toMatch(/<script>|<img/)
  expect(page.document.querySelectorAll('script').every((script) => script.hasAttribute('src'))).toBe(true)
}

describe('API keys', () => {
  test('are created with scopes and an expiry date, shown once, listed and revoked', async () => {
    const employer = await board.employer()
    const person = await visitor(board, employer)
    const form = await person.get(`${KEYS}/new`)
    const offered = form.document.querySelectorAll('input[type="checkbox"][name="scopes[]"]')
    const isChosen = (scope: (typeof offered)[number]) => scope.hasAttribute('checked')
    const valuesOf = (scopes: typeof offered) => scopes.map((scope) => scope.getAttribute('value')!).sort()
    const { scopes } = (await board.get('/v1/me', employer.key)).body.data as { scopes: string[] }
    expect(valuesOf(offered)).toEqual(scopes.toSorted())
    expect(valuesOf(offered.filter(isChosen))).toEqual([])
    const made = await person.submit(form, KEYS, {
      name: 'Nightly import',
      'scopes[]': ['jobs:read', 'jobs:write'],
      expires_at: '2026-05-01',
    })
    expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store'])
    const key = copied(made, 'API key')
    const me = expectStatus(await board.get('/v1/me', key), 200).body.data
    expect(me.scopes).toEqual(['jobs:read', 'jobs:write'])
    const list = await person.get(KEYS)
    expect(list.text).not.toContain(key)
    expect(list.seen).toContain('Nightly import')
    expect(list.seen).toContain('1 May 2026, 23:59:59 UTC')
    const revoked = await person.submit(list, `${KEYS}/${me.key.id}/revoke`)
    expect([revoked.path, revoked.status]).toEqual([KEYS, 200])
    expect(revoked.seen).toContain('API key revoked')
    expect((await board.get('/v1/me', key)).status).toBe(401)
    expect(board.log).not.toContain(key)
  })

  test('are not created without scopes or a name, or with a past date, and the input is kept', async () => {
    const person = await visitor(board, await board.employer())
    const form = await person.get(`${KEYS}/new`)
    const page = await person.submit(form, KEYS, { name: ' ', 'scopes[]': '', expires_at: '2020-01-01' })
    expect(page.status).toBe(422)
    expect(faultOf(page, 'name')).toBe('Enter a name.')
    expect(faultOf(page, 'expires_at')).toBe('Enter a date in the future.')
    expect(page.document.querySelector('#field-scopes-fault')!.textContent).toBe('Scopes: choose at least one.')
    expect(page.document.querySelector('[name="expires_at"]')!.getAttribute('value')).toBe('2020-01-01')
    const foreign = await person.submit(form, KEYS, { name: 'Too much', 'scopes[]': 'admin:write' })
    expect([foreign.status, foreign.seen.includes('This session’s key can’t grant the scope admin:write.')]).toEqual([
      422,
      true,
    ])
  })

  test('are created only by people who signed in recently', async () => {
    const employer = await board.employer()
    const keysNow = async () => (await board.get('/v1/api-keys', employer.key)).body.data.length
    const person = await visitor(board, employer)
    const form = await person.get(`${KEYS}/new`)
    board.clock.advance(15 * 60_000)
    const refused = await person.submit(form, KEYS, { name: 'Kept by a thief', 'scopes[]': 'jobs:read' })
    expect(refused.path).toMatch(/^\/sign-in/)
    expect(refused.seen).toContain('You signed in more than 15 minutes ago. Sign in again to do this.')
    expect((await person.get(`${KEYS}/new`)).path).toBe(`/sign-in?return_to=${encodeURIComponent(`${KEYS}/new`)}`)
    expect(await keysNow()).toBe(1)
    await person.signIn(employer)
    await person.submit(await person.get(`${KEYS}/new`), KEYS, { name: 'Nightly', 'scopes[]': 'jobs:read' })
    expect(await keysNow()).toBe(2)
  })

  test('cannot be revoked by another account, and end their own session when revoked', async () => {
    const other = await board.employer()
    const [{ id }] = (await board.get('/v1/api-keys', other.key)).body.data
    const employer = await board.employer()
    const person = await visitor(board, employer)
    expect((await person.post(`${KEYS}/${id}/revoke`, { _csrf: await tokenOf(person) })).status).toBe(404)
    expect((await board.get('/v1/me', other.key)).status).toBe(200)
    const list = await person.get(KEYS)
    expect(list.seen).toContain('This session’s key')
    const [own] = (await board.get('/v1/api-keys', employer.key)).body.data
    expect((await person.submit(list, `${KEYS}/${own.id}/revoke`)).path).toMatch(/^\/sign-in/)
  })

  test('show HTML in a name as text', async () => {
    const person = await visitor(board, await board.employer())
    const made = await person.submit(await person.get(`${KEYS}/new`), KEYS, { name: hostile, 'scopes[]': 'jobs:read' })
    expect(made.status).toBe(201)
    for (const page of [made, await person.get(KEYS)]) expectNoMarkup(page)
  })
})

/** Returns a signed-in user's form token. */
async function tokenOf(person: Visitor): Promise<string> {
  return (await person.get('/account')).document.querySelector('[name="_csrf"]')!.getAttribute('value')!
}

describe('webhooks', () => {
  test('are created with a secret, which is shown once, and are changed, paused, resumed and deleted', async () => {
    const employer = await board.employer()
    const person = await visitor(board, employer)
    const empty = await person.get(HOOKS)
    expect(empty.seen).toContain('No webhooks yet')
    const url = hookUrl()
    const made = await person.submit(await person.get(`${HOOKS}/new`), HOOKS, {
      url,
      'events[]': ['job.created', 'job.updated'],
      description: 'Ours',
    })
    expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store'])
    const secret = copied(made, 'Secret')
    expect(secret).toMatch(/^whsec_/)
    const [webhook] = (await board.get('/v1/webhooks', employer.key)).body.data
    expect(webhook).toMatchObject({ url, events: ['job.created', 'job.updated'], description: 'Ours' })
    const own = `${HOOKS}/${webhook.id}`
    const page = await person.get(own)
    expect(page.text).not.toContain(secret)
    expect((await person.submit(page, own)).seen).toContain('Webhook paused.')
    const resumed = await person.submit(await person.get(own), own)
    expect(resumed.seen).toContain('Webhook resumed. New events will be sent.')
    const edited = await person.submit(await person.get(`${own}/edit`), own, {
      'events[]': ['job.deleted'],
      description: '',
    })
    expect([edited.path, edited.seen.includes('Changes saved.')]).toEqual([own, true])
    expect((await board.get(`/v1/webhooks/${webhook.id}`, employer.key)).body.data).toMatchObject({
      url,
      events: ['job.deleted'],
      description: null,
      status: 'active',
    })
    const deleted = await person.submit(await person.get(own), `${own}/delete`)
    expect([deleted.path, deleted.seen.includes('Webhook deleted.')]).toEqual([HOOKS, true])
    expect((await person.get(own)).status).toBe(404)
    expect(board.log).not.toContain(secret)
  })

  test('show errors next to the fields, and keep the input except the secret', async () => {
    const person = await visitor(board, await board.employer())
    const form = await person.get(`${HOOKS}/new`)
    const page = await person.submit(form, HOOKS, { url: 'https://inside.example/x', 'events[]': '', secret: 'short' })
    expect(page.status).toBe(422)
    expect(faultOf(page, 'url')).toMatch(/^Enter a public https URL/)
    expect(faultOf(page, 'secret')).toMatch(/at least 16/)
    expect(page.document.querySelector('#field-events-fault')!.textContent).toBe('Events: choose at least one.')
    expect(page.document.querySelector('[name="url"]')!.getAttribute('value')).toBe('https://inside.example/x')
    expect(page.text).not.toContain('short"')
    const employer = await board.employer()
    const { id, url } = await makeWebhook(board, employer)
    const owner = await visitor(board, employer)
    const own = `${HOOKS}/${id}`
    const edited = await owner.submit(await owner.get(`${own}/edit`), own, { url: 'https://127.0.0.1/' })
    expect([edited.status, faultOf(edited, 'url')]).toEqual([
      422,
      'Enter a public https URL without a password, a fragment or an unusual port.',
    ])
    expect((await board.get(`/v1/webhooks/${id}`, employer.key)).body.data.url).toBe(url)
  })

  test('get a new secret, but require confirmation while the previous secret is still valid', async () => {
    const employer = await board.employer()
    const { id } = await makeWebhook(board, employer)
    const person = await visitor(board, employer)
    const action = `${HOOKS}/${id}/rotate-secret`
    const first = await person.submit(await person.get(`${HOOKS}/${id}/secret`), action)
    expect([first.status, copied(first, 'Secret')]).toEqual([200, expect.stringMatching(/^whsec_/)])
    const form = await person.get(`${HOOKS}/${id}/secret`)
    const refused = await person.submit(form, action)
    expect([refused.status, refused.seen.includes('The previous secret is still valid')]).toEqual([409, true])
    const forced = await person.submit(refused, action, { force: ['false', 'true'], grace_period_seconds: '0' })
    expect(forced.status).toBe(200)
    const faulty = await person.submit(await person.get(`${HOOKS}/${id}/secret`), action, {
      grace_period_seconds: '-1',
    })
    expect([faulty.status, faultOf(faulty, 'grace_period_seconds')]).toEqual([422, expect.stringMatching(/at least 0/)])
  })

  test('are tested with a sample, and the response is shown', async () => {
    const employer = await board.employer()
    const { id, url } = await makeWebhook(board, employer)
    const person = await visitor(board, employer)
    const path = `${HOOKS}/${id}/test`
    board.receiver.reply = () => ({ status: 500, excerpt: hostile })
    const failed = await person.submit(await person.get(path), path, { type: 'job.deleted' })
    expect(failed.status).toBe(200)
    expect(failed.seen).toContain('The sample was not delivered.')
    expectNoMarkup(failed)
    expect(board.receiver.to(url).at(-1)).toMatchObject({ eventType: 'job.deleted', isTest: true })
    expect((await person.submit(failed, path)).status).toBe(429)
    board.clock.advance(5_000)
    board.receiver.reply = () => 204
    expect((await person.submit(failed, path)).seen).toContain('The sample was delivered.')
    board.clock.advance(5_000)
    expect((await person.submit(failed, path, { type: 'job.nothing' })).status).toBe(422)
    board.receiver.reply = () => 200
  })
})

test('the last failure of a webhook can be a response whose body broke off', async () => {
  const { account } = await makeDelivery(board)
  board.receiver.reply = () => ({ status: 200, errorClass: 'reset', reason: 'The connection ended early.' })
  await dispatch(board)
  board.receiver.reply = () => 200
  expect((await (await visitor(board, account)).get(HOOKS)).seen).toMatch(/Last failure.*2026.*Response 200/s)
})

test('a webhook is shown as failing until a delivery succeeds, with a summary of the last day', async () => {
  const { account, webhook, read } = await makeDelivery(board)
  const person = await visitor(board, account)
  expect((await person.get(HOOKS)).seen).toMatch(/Last failure.*Healthy.*None/s)
  board.receiver.reply = () => 500
  // An open circuit breaker delays some of the ten attempts.
  for (let n = 0; n < 30 && (await read()).status === 'pending'; n++) {
    await dispatch(board)
    board.clock.advance(25 * 3_600_000)
  }
  board.receiver.reply = () => 200
  expect((await read()).status).toBe('exhausted')
  for (const path of [HOOKS, `${HOOKS}/${webhook.id}`]) {
    const { seen } = await person.get(path)
    expect([seen.includes('Failing'), seen.includes('Healthy')], path).toEqual([true, false])
    expect(seen).toMatch(/Last failure.*2026.*Response 500/s)
  }
  await board.job(account)
  await dispatch(board)
  const page = await person.get(`${HOOKS}/${webhook.id}`)
  expect([page.seen.includes('Healthy'), page.seen.includes('100% of 1 delivered')]).toEqual([true, true])
  const bars = (await person.get(HOOKS)).document.querySelectorAll('svg.spark rect')
  const last = bars.slice(-2).map((bar) => [bar.getAttribute('class'), bar.getAttribute('height')])
  expect(last).toEqual([
    [undefined, '18'],
    ['f', '0'],
  ])
  expect(bars.slice(0, -2).map((bar) => bar.getAttribute('class'))).toEqual(Array(23).fill('none'))
})

test("reloading a sample's result shows the result again without sending another sample", async () => {
  const { account, webhook } = await makeDelivery(board)
  const person = await visitor(board, account)
  const form = await person.get(`${HOOKS}/${webhook.id}/test`)
  const sent = await person.submit(form, `${HOOKS}/${webhook.id}/test`)
  const before = board.receiver.to(webhook.url).length
  const again = await person.submit(form, `${HOOKS}/${webhook.id}/test`)
  expect([sent.status, again.status, again.seen.includes('The sample was delivered.')]).toEqual([200, 200, true])
  expect(board.receiver.to(webhook.url)).toHaveLength(before)
  // The next sample within five seconds is refused on the page with the form.
  const next = await person.submit(sent, `${HOOKS}/${webhook.id}/test`)
  expect([next.status, next.document.querySelector('.faults') !== null]).toEqual([429, true])
})

describe('deliveries', () => {
  test('are filtered by state and type, shown with every attempt, and retried manually', async () => {
    board.receiver.reply = () => ({ status: 503, excerpt: `Down ${hostile}`, durationMs: 1_234 })
    const { account, webhook, id } = await makeDelivery(board)
    await dispatch(board)
    const person = await visitor(board, account)
    const own = `${HOOKS}/${webhook.id}`
    const listed = await person.get(`${own}?status=pending&type=job.created`)
    expect(listed.document.querySelector(`a[href="${own}/deliveries/${id}"]`)!.textContent).toBe('job.created')
    expect(listed.seen).toContain('1 delivery')
    expect((await person.get(`${own}?status=delivered`)).seen).toContain('No deliveries found')
    const faulty = await person.get(`${own}?status=lost`)
    expect([faulty.status, faultOf(faulty, 'status')]).toEqual([400, expect.stringMatching(/status/)])

    const before = await person.get(`${own}/deliveries/${id}`)
    for (const text of ['Attempt 1', 'The answer was 503.', 'Down', '1.2 s', `x-service-delivery-id: ${id}`]) {
      expect(before.seen).toContain(text)
    }
    expect(before.seen).toContain('Battery engineer')
    expectNoMarkup(before)
    const sent = board.receiver.to(webhook.url)[0]!
    expect(before.seen).toContain(`x-service-event-id: ${sent.eventId}`)

    board.receiver.reply = () => 200
    const retried = await person.submit(before, `${own}/deliveries/${id}/retry`)
    expect(retried.seen).toContain('Retry queued.')
    await dispatch(board)
    const after = await person.get(`${own}/deliveries/${id}`)
    for (const text of ['Attempt 2', 'Manual retry', 'Delivered']) expect(after.seen).toContain(text)
    expect((await person.get(`${own}?status=delivered`)).seen).toContain('job.created')

    await person.submit(await person.get(own), own)
    const refused = await person.submit(after, `${own}/deliveries/${id}/retry`)
    expect([refused.status, refused.seen.includes('The webhook is paused. Resume it first.')]).toEqual([409, true])
  })

  test('can be recovered for a period', async () => {
    const employer = await board.employer()
    const webhook = await makeWebhook(board, employer)
    const person = await visitor(board, employer)
    const own = `${HOOKS}/${webhook.id}`
    await person.submit(await person.get(own), own)
    await board.job(employer)
    await person.submit(await person.get(own), own)
    expect(await deliveriesOf(board, employer, webhook.id)).toEqual([])
    // The end time is exclusive.
    board.clock.advance(1_000)
    const form = await person.get(`${own}/recover`)
    const faulty = await person.submit(form, `${own}/recover`, { since: 'yesterday' })
    expect([faulty.status, faultOf(faulty, 'since')]).toEqual([422, 'Enter a date.'])
    const running = await person.submit(form, `${own}/recover`)
    expect(running.path).toMatch(/\/recoveries\//)
    expect(running.seen).toContain('Running')
    await runTask(board, 'webhook-recoveries')
    const done = await person.get(running.path)
    expect(done.seen).toContain('Queued for the first time1')
    expect(await deliveriesOf(board, employer, webhook.id)).toHaveLength(1)
  })
})

test("other accounts can neither see nor change an account's webhooks, and only admins and integrators see its events", async () => {
  const { account, webhook, id } = await makeDelivery(board)
  const [event] = (await board.get('/v1/events?type=job.created', account.key)).body.data
  const own = `${HOOKS}/${webhook.id}`
  const before = (await board.get(`/v1/webhooks/${webhook.id}`, account.key)).body
  const paths = {
    GET: [
      '',
      '/edit',
      '/secret',
      '/test',
      '/recover',
      `/deliveries/${id}`,
      '/recoveries/whr_00000000000000000000000000',
    ],
    POST: ['', '/delete', '/rotate-secret', '/test', '/recover', `/deliveries/${id}/retry`],
  }
  const bodies: Record<string, Record<string, string>> = {
    '': { status: 'paused' },
    '/recover': { since: '2026-01-01' },
  }
  for (const kind of ['candidate', 'employer', 'integrator', 'admin'] as const) {
    const other = await visitor(board, await board.account(kind))
    const _csrf = await tokenOf(other)
    for (const path of paths.GET) expect((await other.get(own + path)).status, `${kind} ${path}`).toBe(404)
    for (const path of paths.POST) {
      const answer = await other.post(own + path, { _csrf, ...bodies[path] })
      expect(answer.status, `${kind} ${path}`).toBe(404)
      // An invalid body also gets a 404, because a validation error would reveal that the resource exists.
      expect((await other.post(own + path, { _csrf, nothing: 'x' })).status, `${kind} ${path}`).toBe(404)
    }
    const sees = kind === 'integrator' || kind === 'admin'
    expect((await other.get(`/console/events/${event.id}`)).status, kind).toBe(sees ? 200 : 404)
    expect((await other.get('/console/events')).text.includes(event.id)).toBe(sees)
    expect((await other.get('/console/live')).text.includes(event.id)).toBe(sees)
  }
  expect((await board.get(`/v1/webhooks/${webhook.id}`, account.key)).body).toEqual(before)
})

test('forms are refused without their token', async () => {
  const { account, webhook, id } = await makeDelivery(board)
  const person = await visitor(board, account)
  const own = `${HOOKS}/${webhook.id}`
  const actions = ['', '/delete', '/rotate-secret', '/test', '/recover', `/deliveries/${id}/retry`].map(
    (path) => own + path,
  )
  for (const action of [HOOKS, KEYS, `${KEYS}/key_00000000000000000000000000/revoke`, ...actions]) {
    expect((await person.post(action, { status: 'paused' })).status, action).toBe(403)
  }
  expect((await board.get(`/v1/webhooks/${webhook.id}`, account.key)).body.data.status).toBe('active')
})

test('a session from a key with few scopes shows only permitted data and actions', async () => {
  const { account, webhook, id } = await makeDelivery(board)
  const reader = await visitor(board, { key: await board.keyWith(account, ['webhooks:read']) })
  const page = await reader.get('/console')
  expect([page.path, page.seen.includes('New webhook')]).toEqual([HOOKS, false])
  expect(page.document.querySelectorAll('.sub a').map((tab) => tab.textContent)).toEqual(['Webhooks', 'Events', 'Live'])
  const own = `${HOOKS}/${webhook.id}`
  for (const path of [own, `${own}/deliveries/${id}`]) {
    expect((await reader.get(path)).document.querySelectorAll('main form[method="post"]')).toEqual([])
  }
  const _csrf = await tokenOf(reader)
  for (const path of [own, `${own}/deliveries/${id}/retry`]) {
    expect((await reader.post(path, { _csrf, status: 'paused' })).status).toBe(403)
  }
  expect((await reader.get(KEYS)).status).toBe(403)
  const keeper = await visitor(board, { key: await board.keyWith(account, ['profile:read']) })
  expect((await keeper.get('/console')).path).toBe(KEYS)
})

describe('events', () => {
  test('are found by type and subject, and shown with their payload', async () => {
    const employer = await board.employer()
    const job = await board.job(employer, { title: hostile })
    const person = await visitor(board, employer)
    const list = await person.get(`/console/events?type=job.created&subject_id=${job.id}&created_at_gte=`)
    expect(list.seen).toContain('1 event')
    const link = list.document.querySelector('table a')!.getAttribute('href')!
    const page = await person.get(link)
    expectNoMarkup(page)
    const [event] = (await board.get('/v1/events?type=job.created', employer.key)).body.data
    expect(JSON.parse(copied(page, 'Payload'))).toEqual(event)
    expect((await person.get('/console/events?type=job.deleted')).seen).toContain('No events found')
    const faulty = await person.get('/console/events?created_at_gte=never')
    expect([faulty.status, faultOf(faulty, 'created_at_gte')]).toEqual([400, 'Enter a date.'])
    for (const id of ['evt_00000000000000000000000000', 'x']) {
      expect((await person.get(`/console/events/${id}`)).status).toBe(404)
    }
  })

  test('are streamed live, once each and only to entitled accounts, and a new stream continues after Last-Event-ID', async () => {
    const employer = await board.employer()
    await board.job(employer, { title: 'Before' })
    const person = await visitor(board, employer)
    const page = await person.get('/console/live')
    const address = page.document.querySelector('[data-live]')!.getAttribute('data-live')!.replaceAll('&amp;', '&')
    const stream = await openStream(board, person, address)
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(stream.headers.get('cache-control')).toBe('no-store')
    await board.job(await board.employer(), { title: 'Of somebody else' })
    const job = await board.job(employer, { title: hostile })
    const { id, data } = await stream.next()
    expect(data).toContain(job.id)
    expect(data).not.toMatch(/<script>|<img/)
    await board.job(employer, { title: 'Second' })
    expect((await stream.next()).data).toContain('Second')
    await stream.close()
    const again = await openStream(board, person, address, { 'last-event-id': id })
    expect((await again.next()).data).toContain('Second')
    await again.close()
    // Open streams end when the service stops.
    const last = await openStream(board, person, '/console/live/stream')
    await board.restart()
    await expect(last.next()).rejects.toThrow('The stream ended')
  })

  test('have a limited number of streams per account, which do not support HEAD', async () => {
    const person = await visitor(board, await board.employer())
    const path = '/console/live/stream'
    const streams = await Promise.all([1, 2].map(() => openStream(board, person, path)))
    expect((await person.get(path)).status).toBe(429)
    await streams[0]!.close()
    // The slot is free as soon as the server notices the disconnection.
    const reopen = () => openStream(board, person, path).then((stream) => stream.close().then(() => 'open'), String)
    await expect.poll(reopen, { timeout: 30_000 }).toBe('open')
    for (const stream of streams.slice(1)) await stream.close()
    expect((await person.send('HEAD', path)).status).toBe(405)
    expect((await person.get(`${path}?after=x`)).status).toBe(400)
    expect((await person.get(`${path}?type=job.nothing`)).status).toBe(400)
  })

  test('are streamed for a limited time, and only until the process stops', async () => {
    const viewer = { kind: 'admin', accountId: 'adm_00000000000000000000000000' } as const
    const wanted = { type: undefined, after: undefined }
    const short = new EventTail({ database: board.database, clock: board.clock, everyMs: 0, lifeMs: 0 })
    expect(
      await Array.fromAsync(short.follow(viewer, wanted, short.slots.enter(viewer.accountId, 'n').signal)),
    ).toEqual([[]])
    const tail = new EventTail({ database: board.database, clock: board.clock, everyMs: 3_600_000 })
    const looks = tail.follow(viewer, wanted, tail.slots.enter(viewer.accountId, 'n').signal)
    await looks.next()
    const last = looks.next()
    tail.slots.end()
    expect(await last).toEqual({ done: true, value: undefined })
    const { leave } = tail.slots.enter(viewer.accountId, 'n')
    expect(() => tail.slots.enter(viewer.accountId, 'n')).toThrow('Too many live views')
    leave()
    tail.slots.enter(viewer.accountId, 'n')
  })

  test('have streams that accounts share fairly: an account with two loses one to an account with none', async () => {
    const tail = new EventTail({ database: board.database, clock: board.clock, everyMs: 3_600_000 })
    const viewer = (n: number) => ({ kind: 'employer', accountId: `emp_${n}` }) as const
    const wanted = { type: undefined, after: undefined }
    const first = tail.follow(viewer(0), wanted, tail.slots.enter(viewer(0).accountId, 'n').signal)
    await first.next()
    const next = first.next()
    tail.slots.enter(viewer(0).accountId, 'n')
    for (let n = 1; n <= 48; n++) tail.slots.enter(viewer(n).accountId, `n${n}`)
    tail.slots.enter(viewer(49).accountId, 'n49')
    expect(await next).toEqual({ done: true, value: undefined })
    expect(() => tail.slots.enter(viewer(50).accountId, 'n50')).toThrow('Too many live views')
  })
})

test('the page of an event explains its type in the reader’s language', async () => {
  const { account } = await makeDelivery(board)
  const person = await visitor(board, account)
  const [event] = (await board.get('/v1/events?type=job.created', account.key)).body.data
  const page = await person.get(`/de/console/events/${event.id}`)
  expect(page.seen).toContain('Eine Stelle wurde erstellt oder importiert.')
  for (const type of eventTypes) expect(isMessageKey(`events.about_${type.replaceAll('.', '_')}`), type).toBe(true)
})

test('each page shows working API commands for its actions', async () => {
  board.receiver.reply = () => 200
  const { account, webhook, id } = await makeDelivery(board)
  const person = await visitor(board, account)
  const own = `${HOOKS}/${webhook.id}`
  const [event] = (await board.get('/v1/events?type=job.created', account.key)).body.data
  const pages = [
    `${KEYS}?name=it%27s`,
    `${KEYS}/new`,
    '/console/events?type=job.created&subject_id=',
    `/console/events/${event.id}`,
    '/console/live?type=job.created',
    HOOKS,
    `${own}?status=pending`,
    `${own}/edit`,
    `${own}/secret`,
    `${own}/recover`,
    `${own}/deliveries/${id}`,
  ]
  for (const path of pages) {
    const commands = commandsOf(await person.get(path))
    expect(commands.length, path).toBeGreaterThan(0)
    for (const command of commands) {
      board.clock.advance(5_000)
      const status = await run(command, account)
      // Resumes a paused webhook, because later commands need an active one.
      if (command.includes('"paused"')) await board.put(`/v1/webhooks/${webhook.id}`, account.key, { status: 'active' })
      expect(status, `${path}: ${command}`).toBeLessThan(300)
    }
  }
})
