import { expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus } from '../support/board.ts'
import { FEEDS, feedBody, makeFeed } from '../support/feeds.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

describeOperation('createFeed', ({ board, status }) => {
  status(201, () => {
    test('returns the feed with its defaults and a Location header', async () => {
      const employer = await board.employer()
      const answer = expectStatus(await board.post(FEEDS, employer.key, feedBody()), 201)
      const { data } = answer.body
      expect(data).toEqual({
        ...{ id: expect.stringMatching(/^feed_/), name: 'Voltaire careers', format: 'ndjson', url: null, board: null },
        ...{ employer_id: employer.id, company: null, every_minutes: 60, close_after_hours: 48 },
        ...{ is_active: true, is_prepaid: false, state: 'idle', last_run: null, next_run_at: null, job_count: 0 },
        ...{ created_at: board.clock.now().toISOString(), updated_at: board.clock.now().toISOString() },
      })
      expect(answer.headers.get('location')).toBe(`${FEEDS}/${data.id}`)
    })

    test('stores the board of a hosted format or the URL of another format, and schedules an immediate first run', async () => {
      const next_run_at = board.clock.now().toISOString()
      const hosted = await makeFeed(board, { format: 'lever', board: 'eu/voltaire' })
      expect(hosted).toMatchObject({ employer_id: null, board: 'eu/voltaire', url: null, next_run_at })
      const url = 'https://voltaire.example/jobs.xml'
      expect(await makeFeed(board, { format: 'indeed_xml', url })).toMatchObject({ url, next_run_at })
    })
  })

  status(409, () => {
    test('limits an employer to twenty feeds', async () => {
      const { key } = await board.employer()
      for (let count = 0; count < 20; count++) await makeFeed(board, {}, key)
      expect((await board.post(FEEDS, key, feedBody())).body).toMatchObject({ code: 'limit_reached', limit: 20 })
    })
  })

  status(422, () => {
    test.each<[object, string[]]>([
      [{ format: 'lever' }, ['#/board required']],
      [{ format: 'lever', board: 'a b' }, ['#/board invalid_format']],
      [{ format: 'lever', board: 'a', url: 'https://a.example' }, ['#/url not_allowed']],
      [{ board: 'voltaire' }, ['#/board not_allowed']],
      [{ format: 'pdf' }, ['#/format not_allowed']],
      [{ url: 'http://a.example' }, ['#/url not_allowed']],
      [{ url: 'https://127.0.0.1/' }, ['#/url not_allowed']],
      [{ url: 'https://inside.example/' }, ['#/url not_allowed']],
      [{ every_minutes: 14 }, ['#/every_minutes too_small']],
      [{ close_after_hours: 721 }, ['#/close_after_hours too_large']],
      [{ is_prepaid: true }, ['#/is_prepaid not_allowed']],
      [{ employer_id: 'emp_00000000000000000000000000' }, ['#/employer_id not_found']],
    ])('refuses %o', async (overrides, faults) => {
      const { key } = await board.employer()
      const answer = await board.post(FEEDS, key, feedBody(overrides))
      expect([answer.status, faultsOf(answer)]).toEqual([422, faults])
    })

    test('lets admins choose only employers that exist', async () => {
      const { id } = await board.employer()
      expect(await makeFeed(board, { employer_id: id, is_prepaid: true })).toMatchObject({ employer_id: id })
      const unknown = feedBody({ employer_id: 'emp_00000000000000000000000000' })
      expect(faultsOf(await board.post(FEEDS, ADMIN_KEY, unknown))).toEqual(['#/employer_id not_found'])
    })
  })
})
