import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { makeAlert } from '../support/alerts.ts'
import { apply, setStatus, world } from '../support/applications.ts'
import { ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import { upload } from '../support/resumes.ts'
import { makeWebhook, WEBHOOKS } from '../support/webhooks.ts'

const board = useBoard()
const tagOf = async (path: string, key: string) => expectStatus(await board.get(path, key), 200).headers.get('etag')!

describe('a tag', () => {
  test('is the same for every reader and every read of a resource', async () => {
    const owner = await board.employer()
    const { id } = await board.activeJob(owner)
    const readers = [owner.key, (await board.candidate()).key, ADMIN_KEY, owner.key]
    const tags = await Promise.all(readers.map((key) => tagOf(`/v1/jobs/${id}`, key)))
    expect(new Set(tags).size).toBe(1)
    board.clock.advance(1_000)
    expect(await tagOf(`/v1/jobs/${id}`, owner.key)).toBe(tags[0])
  })

  test.each<[string, (id: string, key: string) => Promise<unknown>]>([
    ['is changed', (id, key) => board.put(`/v1/jobs/${id}`, key, { benefits: ['Car'] })],
    ['is closed', (id, key) => board.post(`/v1/jobs/${id}/close`, key)],
    [
      'gets an upgrade',
      (id) =>
        board.database.inTx((tx) => tx.updateTable('job').set({ is_urgent: true }).where('id', '=', id).execute()),
    ],
    ['shows a new employer name', (_id, key) => board.put('/v1/employers/profile', key, { name: 'Renamed Motors' })],
    [
      'shows a new employer website',
      (_id, key) => board.put('/v1/employers/profile', key, { website: 'https://other.example' }),
    ],
    ['expires', async () => board.clock.advance(31 * 86_400_000)],
  ])('changes when a job %s', async (_how, change) => {
    const owner = await board.employer()
    const { id } = await board.activeJob(owner)
    const before = await tagOf(`/v1/jobs/${id}`, owner.key)
    await change(id, owner.key)
    expect(await tagOf(`/v1/jobs/${id}`, owner.key)).not.toBe(before)
  })

  test("is returned with a created resource, and equals the tag at the resource's URL", async () => {
    const candidate = await board.candidate()
    const employer = await board.employer()
    const made = [
      [
        await board.post('/v1/candidates/job-alerts', candidate.key, {
          name: 'A',
          criteria: { search: 'x' },
          frequency: 'daily',
        }),
        candidate.key,
      ],
      [
        await board.post(WEBHOOKS, employer.key, { url: 'https://tags.example/', events: ['job.created'] }),
        employer.key,
      ],
      [
        await board.post('/v1/candidates/resume', candidate.key, {
          filename: 'cv.txt',
          content_base64: Buffer.from('Engineer of batteries').toString('base64'),
        }),
        candidate.key,
      ],
    ] as const
    for (const [answer, key] of made) {
      const location = expectStatus(answer, 201).headers.get('location')!
      expect([location, answer.headers.get('etag')]).toEqual([location, await tagOf(location, key)])
    }
    for (const [path, body] of [
      ['/v1/candidates', { first_name: 'Ada', last_name: 'Tag', email: 'ada@tag.example' }],
      ['/v1/employers', { name: 'Tag Motors', email: 'jobs@tag.example' }],
    ] as const) {
      const answer = expectStatus(await board.post(path, undefined, body), 201)
      expect(answer.headers.get('etag')).toBe(await tagOf(answer.headers.get('location')!, answer.body.data.api_key))
    }
  })

  test('is absent from uncacheable responses and errors', async () => {
    const { key } = await board.candidate()
    const answers = [
      await board.get('/v1/candidates/export', key),
      await board.get('/v1/candidates/resume', key),
      await board.get('/v1/candidates/applications/app_00000000000000000000000000', key),
    ]
    expect(answers.map(({ status, headers }) => [status, headers.get('etag')])).toEqual([
      [200, null],
      [404, null],
      [404, null],
    ])
  })
})

describe('If-Match', () => {
  test('lets only one of two simultaneous changes succeed, on six kinds of resources', async () => {
    const { employer, application } = await world(board)
    const candidate = await board.candidate()
    const changes: [path: string, key: string, bodies: object[]][] = [
      [`/v1/jobs/${(await board.activeJob(employer)).id}`, employer.key, [{ title: 'One' }, { title: 'Two' }]],
      ['/v1/employers/profile', employer.key, [{ location: 'Turin' }, { location: 'Milan' }]],
      ['/v1/candidates/profile', candidate.key, [{ headline: 'One' }, { headline: 'Two' }]],
      [
        `/v1/candidates/job-alerts/${(await makeAlert(board, candidate)).id}`,
        candidate.key,
        [{ name: 'One' }, { name: 'Two' }],
      ],
      [
        `${WEBHOOKS}/${(await makeWebhook(board, employer)).id}`,
        employer.key,
        [{ description: 'One' }, { description: 'Two' }],
      ],
      [`/v1/employers/applications/${application.id}`, employer.key, [{ status: 'reviewed' }, { status: 'contacted' }]],
    ]
    for (const [path, key, bodies] of changes) {
      const headers = { 'if-match': await tagOf(path, key) }
      const answers = await Promise.all(bodies.map((body) => board.call('PUT', path, { key, body, headers })))
      expect([path, answers.map(({ status }) => status).sort()]).toEqual([path, [200, 412]])
      const won = answers.find(({ status }) => status === 200)!
      expect([path, await tagOf(path, key)]).toEqual([path, won.headers.get('etag')])
    }
  })

  test('lets either a deletion or a simultaneous change succeed, not both', async () => {
    const candidate = await board.candidate()
    const { id } = await makeAlert(board, candidate)
    const path = `/v1/candidates/job-alerts/${id}`
    const headers = { 'if-match': await tagOf(path, candidate.key) }
    const { key } = candidate
    const answers = await Promise.all([
      board.call('PUT', path, { key, headers, body: { name: 'Other' } }),
      board.call('DELETE', path, { key, headers }),
    ])
    const statuses = answers.map(({ status }) => status)
    expect([
      [200, 412],
      [404, 204],
    ]).toContainEqual(statuses)
  })

  test('is checked after all other errors of the request, but before the state of the resource', async () => {
    const { employer, application } = await world(board)
    const path = `/v1/employers/applications/${application.id}`
    const old = await tagOf(path, employer.key)
    board.clock.advance(1_000)
    await setStatus(board, employer, application.id, 'hired')
    const send = (key: string, body: object, tag = old) =>
      board.call('PUT', path, { key, body, headers: { 'if-match': tag } })
    expect((await send('x', {})).status).toBe(401)
    expect((await send((await board.employer()).key, {})).status).toBe(404)
    expect((await send(employer.key, { status: 'lost' })).status).toBe(422)
    expect((await send(employer.key, { status: 'pending' })).status).toBe(412)
    expect((await send(employer.key, { status: 'pending' }, await tagOf(path, employer.key))).status).toBe(409)
  })

  test('accepts a list that contains the current tag', async () => {
    const owner = await board.employer()
    const { id } = await board.job(owner)
    const tag = await tagOf(`/v1/jobs/${id}`, owner.key)
    const headers = new Headers([
      ['if-match', '"other"'],
      ['if-match', tag],
    ])
    const answer = await board.call('PUT', `/v1/jobs/${id}`, {
      key: owner.key,
      body: { title: 'Other' },
      headers: Object.fromEntries(headers),
    })
    expect(answer.status).toBe(200)
  })

  test('prevents the deletion of a resume if the tag belongs to another resource, and of a profile that has changed', async () => {
    const candidate = await board.candidate()
    const { id } = await upload(board, candidate)
    const remove = (path: string, tag: string) =>
      board.call('DELETE', path, { key: candidate.key, headers: { 'if-match': tag } })
    const profile = await tagOf('/v1/candidates/profile', candidate.key)
    expect((await remove(`/v1/candidates/resume/${id}`, profile)).status).toBe(412)
    // The upload changes the profile, which contains the default resume's URL.
    await upload(board, candidate)
    expect((await remove('/v1/candidates/profile', profile)).status).toBe(412)
    expect((await board.get('/v1/me', candidate.key)).status).toBe(200)
  })

  test('still matches a job after a candidate has applied', async () => {
    const owner = await board.employer()
    const { id } = await board.activeJob(owner)
    const tag = await tagOf(`/v1/jobs/${id}`, owner.key)
    await apply(board, await board.candidate(), id)
    const answer = await board.call('DELETE', `/v1/jobs/${id}`, { key: owner.key, headers: { 'if-match': tag } })
    expect(answer.status).toBe(204)
    const { rows } = await board.database.read((db) =>
      sql<{ state: string }>`select state from job where id = ${id}`.execute(db),
    )
    expect(rows).toEqual([{ state: 'deleted' }])
  })
})
