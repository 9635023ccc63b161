/**
 * Revocation works across processes: a stream, a session and a long request on one process end within two seconds of a
 * revocation on another (decision 0065). For webhooks, see test/db/webhook-keys.test.ts.
 */
import { once } from 'node:events'
import { type IncomingMessage, request as sendRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLoop } from '../../src/background/loop.ts'
import { beginSession } from '../../src/features/sessions/sessions.service.ts'
import { type Account, ADMIN_KEY, Board, expectStatus, jobBody, useBoard } from '../support/board.ts'
import { joined, MEMBERS, memberKey } from '../support/members.ts'
import { useMonotonic } from '../support/monotonic.ts'
import { Visitor, visitor } from '../support/pages.ts'
import { png } from '../support/pictures.ts'
import { openStream } from '../support/streams.ts'
import { taskOf } from '../support/tasks.ts'

const board = useBoard()
/** Another process on the same database. */
const second = new Board()
const STREAM = '/console/live/stream'
const SESSION = '__Host-session'
const WITHIN_MS = 2_000

beforeAll(async () => {
  second.database = board.database
  await second.start()
})
afterAll(() => second.service.app.close())

/** A candidate with a second key. Each test signs in with that key or a sign-in link. */
interface Person extends Account {
  further: { id: string; key: string }
}

async function person(): Promise<Person> {
  const account = await board.candidate()
  const body = { name: 'Further', expires_at: new Date(board.clock.time + 60_000).toISOString() }
  const further = expectStatus(await board.post('/v1/api-keys', account.key, body), 201).body.data
  return { ...account, further }
}

/** Ways to sign in on the second process. */
const entries = {
  'a key': async ({ further }: Person) => visitor(second, further),
  'a sign-in link': async ({ id }: Person) => {
    const guest = new Visitor(second)
    const begun = { accountId: id, memberId: null, keyHash: null, emailKey: null }
    guest.setCookie(SESSION, await board.database.inTx((tx) => beginSession(tx, begun, board.clock.now())))
    return guest
  },
}

/** Causes of lost access: actions on the first process, and the expiry of the key. */
const causes: Record<string, (who: Person) => Promise<unknown>> = {
  'its key is deleted': async ({ key, further }) =>
    expectStatus(await board.delete(`/v1/api-keys/${further.id}`, key), 204),
  'its key expires': async () => {
    for (const { clock } of [board, second]) clock.advance(60_000)
  },
  'the sessions are ended': async (who) => {
    const elsewhere = await visitor(board, who)
    await elsewhere.submit(await elsewhere.get('/account'), '/account/sign-out-everywhere')
  },
  'the email address changes': async ({ id, key }) =>
    expectStatus(await board.put('/v1/candidates/profile', key, { email: `moved-${id}@mail.example` }), 200),
  'the account is erased': async ({ key }) => expectStatus(await board.delete('/v1/candidates/profile', key), 204),
  'the account is suspended': async ({ id }) =>
    expectStatus(await board.post(`/v1/admin/accounts/${id}/suspend`, ADMIN_KEY, { reason: 'Spam' }), 200),
}

const ofKeysAlone = ['its key is deleted', 'its key expires']
const rows = Object.keys(entries).flatMap((entry) =>
  Object.keys(causes)
    .filter((cause) => entry === 'a key' || !ofKeysAlone.includes(cause))
    .map((cause) => [entry as keyof typeof entries, cause] as const),
)

test('a stream ends within two seconds of real time after its key was deleted on another process', async () => {
  const watching = startLoop(taskOf(second, 'authorities'), second.service.app.log)
  const who = await person()
  const stream = await openStream(second, await entries['a key'](who), STREAM)
  const ended = expect(stream.next()).rejects.toThrow('The stream ended')
  await causes['its key is deleted']!(who)
  const from = performance.now()
  await ended
  expect(performance.now() - from).toBeLessThan(WITHIN_MS)
  await watching.stop()
})

describe('two seconds after a revocation', () => {
  const monotonic = useMonotonic()
  const later = async () => {
    monotonic.advance(WITHIN_MS)
    const watch = taskOf(second, 'authorities')
    expect(watch.everyMs).toBeLessThanOrEqual(1_000)
    await watch.once()
  }

  let other: Account
  let kept: Awaited<ReturnType<typeof openStream>>
  beforeAll(async () => {
    other = await board.candidate()
    kept = await openStream(second, await visitor(second, other), STREAM)
  })

  test.each(rows)('a stream started with %s ends after %s', async (entry, cause) => {
    const who = await person()
    const [first] = (await board.get('/v1/events', who.key)).body.data
    expectStatus(await board.put('/v1/candidates/profile', who.key, { headline: 'Seen' }), 200)
    const stream = await openStream(second, await entries[entry](who), `${STREAM}?after=${first.id}`)
    expect((await stream.next()).data).toContain('candidate.profile_updated')
    await later()
    const ended = expect(stream.next()).rejects.toThrow('The stream ended')
    await causes[cause]!(who)
    await later()
    await ended
  })

  test('the stream of another account has not ended', async () => {
    expectStatus(await board.put('/v1/candidates/profile', other.key, { headline: 'Still seen' }), 200)
    expect((await kept.next()).data).toContain('candidate.profile_updated')
    await kept.close()
  })

  test.each(rows)('a session started with %s loses access after %s', async (entry, cause) => {
    const who = await person()
    const guest = await entries[entry](who)
    expect((await guest.get('/account')).path).toBe('/account')
    await causes[cause]!(who)
    await later()
    const page = await guest.get('/account')
    // A suspended account gets an explanation, and its sessions work again when it is resumed.
    if (cause === 'the account is suspended') expect(page.status).toBe(403)
    else expect(page.path).toMatch(/^\/sign-in/)
  })
})

test("the session that changes the email address remains, and the account's other sessions end", async () => {
  const who = await board.candidate()
  const [mover, other] = [await visitor(board, who), await visitor(board, who)]
  const moved = await mover.submit(await mover.get('/me/profile'), '/me/profile', { email: 'mover@mail.example' })
  expect(moved.seen).toContain('Profile saved.')
  expect((await other.get('/account')).path).toMatch(/^\/sign-in/)
})

test('a stream ends if the database fails during the check for revocations', async () => {
  const who = await person()
  const stream = await openStream(second, await entries['a key'](who), STREAM)
  const ended = expect(stream.next()).rejects.toThrow('The stream ended')
  const { read } = second.database
  second.database.read = () => Promise.reject(new Error('No answer'))
  await expect(taskOf(second, 'authorities').once()).rejects.toThrow('No answer')
  second.database.read = read
  await ended
})

describe('a slow request body', () => {
  const monotonic = useMonotonic()

  /** Sends a request head, runs `meanwhile`, and sends the body two seconds later. */
  async function slowly(
    path: string,
    headers: Record<string, string>,
    body: string | Buffer,
    meanwhile: () => Promise<unknown>,
  ) {
    const length = String(Buffer.byteLength(body))
    const sent = sendRequest(`${second.address}${path}`, {
      method: headers['content-type'] === 'image/png' ? 'PUT' : 'POST',
      headers: { ...headers, 'content-length': length, expect: '100-continue' },
    })
    sent.flushHeaders()
    await once(sent, 'continue')
    await meanwhile()
    monotonic.advance(WITHIN_MS)
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.resume()
    return answer
  }

  test.each([
    ['takes effect if its key is still valid', false, 201],
    ['has no effect if its key is deleted meanwhile', true, 401],
  ])('%s', async (_what, isDeleted, status) => {
    const employer = await board.employer()
    const { id, key } = expectStatus(await board.post('/v1/api-keys', employer.key, { name: 'Slow' }), 201).body.data
    // Makes the process cache the key, so that it authenticates the next request before the body arrives.
    expectStatus(await second.get('/v1/me', key), 200)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await slowly('/v1/jobs', headers, JSON.stringify(jobBody()), async () => {
      if (isDeleted) expectStatus(await board.delete(`/v1/api-keys/${id}`, employer.key), 204)
    })
    expect(answer.statusCode).toBe(status)
    const { total } = (await board.get('/v1/employers/jobs', employer.key)).body.meta.pagination
    expect(total).toBe(isDeleted ? 0 : 1)
  })

  test.each(['a logo', 'a payment'])('has no effect if it is %s of a member who is removed meanwhile', async (what) => {
    const employer = await board.employer()
    const key = await memberKey(board, employer, 'owner')
    const { id } = await board.job(employer)
    expectStatus(await second.get('/v1/me', key), 200)
    const [path, type, body] =
      what === 'a logo'
        ? (['/v1/employers/logo', 'image/png', Buffer.from(png(32, 32))] as const)
        : ([
            '/v1/employers/payments',
            'application/json',
            JSON.stringify({ job_id: id, products: ['job-post'] }),
          ] as const)
    const headers = { authorization: `Bearer ${key}`, 'content-type': type }
    const answer = await slowly(path, headers, body, async () => {
      const { data } = (await board.get(`${MEMBERS}?role=owner`, employer.key)).body
      const removed = data.find(({ name }: { name: string | null }) => name === 'Rosa Whitlock')
      expectStatus(await board.delete(`${MEMBERS}/${removed.id}`, employer.key), 204)
    })
    expect(answer.statusCode).toBe(401)
    expect((await board.get('/v1/employers/profile', employer.key)).body.data.logo_url).toBeNull()
    expect((await board.get('/v1/employers/payments', employer.key)).body.data).toEqual([])
  })

  test('has no effect if its member becomes a viewer meanwhile', async () => {
    const employer = await board.employer()
    const demote = async () => {
      const [{ id }] = (await board.get(`${MEMBERS}?role=recruiter`, employer.key)).body.data
      expectStatus(await board.put(`${MEMBERS}/${id}`, employer.key, { role: 'viewer' }), 200)
    }
    const key = await memberKey(board, employer, 'recruiter')
    expectStatus(await second.get('/v1/me', key), 200)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await slowly('/v1/jobs', headers, JSON.stringify(jobBody()), demote)
    expect(answer.statusCode).toBe(403)

    const { visitor: guest } = await joined(board, employer, 'recruiter')
    const form = new URLSearchParams({ _csrf: await guest.csrfToken(), title: 'Written by a viewer' })
    const cookie = [...guest.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const formHeaders = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
    expect((await slowly('/employer/jobs/new', formHeaders, String(form), demote)).statusCode).toBe(403)
    expect((await board.get('/v1/employers/jobs', employer.key)).body.data).toEqual([])
  })

  test('has no effect if it is a form and its session ends before the body arrives', async () => {
    const employer = await board.employer()
    const guest = await visitor(second, employer)
    const form = new URLSearchParams({ _csrf: await guest.csrfToken(), description: 'Written by nobody' })
    const cookie = [...guest.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await slowly('/employer/profile', headers, String(form), async () => {
      const elsewhere = await visitor(board, employer)
      await elsewhere.submit(await elsewhere.get('/account'), '/account/sign-out-everywhere')
    })
    expect([answer.statusCode, answer.headers.location]).toEqual([303, expect.stringMatching(/^\/sign-in/)])
    expect((await board.get('/v1/employers/profile', employer.key)).body.data.description).toBeNull()
  })
})
