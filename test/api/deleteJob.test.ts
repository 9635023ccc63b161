import { beforeAll, expect, test } from 'vitest'
import { type Account, ADMIN_KEY } from '../support/board.ts'
import { changesOnlyWhatMatches } from '../support/conditional.ts'
import { fedJob } from '../support/feeds.ts'
import { insertJobs } from '../support/jobs.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('deleteJob', ({ board, status }) => {
  let owner: Account
  let candidate: Account
  beforeAll(async () => {
    owner = await board.employer()
    candidate = await board.candidate()
  })
  const remove = (id: string, key = owner.key) => board.delete(`/v1/jobs/${id}`, key)
  const request = async () => ({ method: 'DELETE', path: `/v1/jobs/${(await board.job(owner)).id}` })

  status(204, () => {
    test('hides the job from everyone in lookups by ID, lists, searches and counts', async () => {
      const { id } = await board.activeJob(owner, { title: 'Zymurgist', category: 'brewing' })
      const answer = await remove(id)
      expect([answer.status, answer.text]).toEqual([204, ''])
      expect(answer.headers.get('content-type')).toBeNull()
      for (const key of [owner.key, candidate.key, ADMIN_KEY]) {
        expect((await board.get(`/v1/jobs/${id}`, key)).status).toBe(404)
        expect((await board.get('/v1/jobs?search=zymurgist', key)).body.data).toEqual([])
      }
      for (const key of [owner.key, ADMIN_KEY]) {
        expect((await board.get('/v1/employers/jobs?search=zymurgist', key)).body.meta.pagination.total).toBe(0)
      }
      const slugs = (await board.get('/v1/jobs/categories', owner.key)).body.data.map(
        ({ slug }: { slug: string }) => slug,
      )
      expect(slugs).not.toContain('brewing')
      expect((await board.get(`/v1/employers/${owner.id}`, owner.key)).body.data.open_positions).toBe(0)
    })

    test.each(['inactive', 'active', 'closed', 'expired'])('deletes a job that is %s', async (state) => {
      const expires_at = new Date(board.clock.time + 1_000).toISOString()
      const { id } = state === 'inactive' ? await board.job(owner) : await board.activeJob(owner, { expires_at })
      if (state === 'closed') await board.post(`/v1/jobs/${id}/close`, owner.key)
      if (state === 'expired') board.clock.advance(1_000)
      expect((await remove(id)).status).toBe(204)
      expect((await board.get(`/v1/jobs/${id}`, owner.key)).status).toBe(404)
    })

    test('writes job.deleted with the job', async () => {
      const { id } = await board.activeJob(owner)
      board.clock.advance(7)
      await remove(id)
      const now = board.clock.now().toISOString()
      expect((await board.events('job.deleted')).at(-1)).toEqual({
        id: expect.stringMatching(/^evt_/),
        type: 'job.deleted',
        created_at: now,
        data: {
          job: { id, title: 'Battery engineer', company: 'Employer 1', employer_id: owner.id, deleted_at: now },
        },
      })
    })

    test('writes job.expired for an expired job if no event has announced the expiry yet', async () => {
      const expires_at = new Date(board.clock.time + 1_000).toISOString()
      const { id } = await board.activeJob(owner, { expires_at })
      board.clock.advance(1_000)
      await remove(id)
      for (const task of board.service.tasks) await task.once()
      const events = (await board.events()) as unknown as { type: string; data: { job: { id: string } } }[]
      const types = events.filter(({ data }) => data.job?.id === id).map(({ type }) => type)
      expect(types.toSorted()).toEqual(['job.created', 'job.deleted', 'job.expired', 'job.updated'])
    })

    test('lets admins delete a job, even if its employer has no account', async () => {
      const { id } = await board.job(owner)
      const [imported] = await insertJobs(board, [{}])
      expect((await remove(id, ADMIN_KEY)).status).toBe(204)
      expect((await remove(imported!, ADMIN_KEY)).status).toBe(204)
    })

    test('accepts an empty body with a Content-Type, as some clients send it', async () => {
      const { path } = await request()
      const headers = { 'content-type': 'application/json' }
      expect((await board.call('DELETE', path, { key: owner.key, headers })).status).toBe(204)
    })

    test('lets one of three simultaneous deletions succeed, and writes one event', async () => {
      const { id } = await board.activeJob(owner)
      const before = (await board.events('job.deleted')).length
      const answers = await Promise.all([remove(id), remove(id), remove(id)])
      expect(answers.map((answer) => answer.status).sort()).toEqual([204, 404, 404])
      expect((await board.events('job.deleted')).length).toBe(before + 1)
    })
  })

  status(409, () => {
    test('refuses to delete a job that a feed maintains', async () => {
      const answer = await remove((await fedJob(board)).id, ADMIN_KEY)
      expect(answer.body.code).toBe('fed_job')
    })
  })

  status(412, () => changesOnlyWhatMatches(board, 'admin', request))
})
