import { expect, test } from 'vitest'
import { jobPath } from '../../src/features/jobs/index.ts'
import { apply } from '../support/applications.ts'
import { ADMIN_KEY } from '../support/board.ts'
import { answersNotModified } from '../support/conditional.ts'
import { describeOperation } from '../support/operation.ts'
import { visitor } from '../support/pages.ts'
import { runTask, taskOf } from '../support/tasks.ts'

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

describeOperation('getJobStatistics', ({ board, status }) => {
  const pathOf = (id: string) => `/v1/employers/jobs/${id}/statistics`
  const request = async () => {
    const employer = await board.employer()
    return { method: 'GET', path: pathOf((await board.activeJob(employer)).id), key: employer.key }
  }
  const look = async (path: string, headers: Record<string, string> = { 'user-agent': BROWSER }, method = 'GET') => {
    const guest = await visitor(board)
    const answer = await guest.send(method, path, { headers })
    return answer.status === 301 ? guest.send(method, answer.headers.get('location')!, { headers }) : answer
  }
  const viewsOf = async (id: string) => {
    await runTask(board, 'job-views')
    return (await board.get(pathOf(id), ADMIN_KEY)).body.data.views
  }

  status(200, () => {
    test('returns the activity of a job, by day and in total, to its owner and admins', async () => {
      const employer = await board.employer()
      const job = await board.activeJob(employer)
      const start = board.clock.now().toISOString().slice(0, 10)
      const candidate = await board.candidate()
      await look(`/jobs/${job.id}`)
      await runTask(board, 'job-views')
      await look(`/jobs/${job.id}`)
      await board.post(`/v1/candidates/jobs/${job.id}/save`, candidate.key, {})
      board.clock.advance(86_400_000)
      await look(`/jobs/${job.id}`)
      const { id } = await apply(board, candidate, job.id)
      await board.post(`/v1/candidates/applications/${id}/withdraw`, candidate.key, {})
      await apply(board, candidate, job.id, { source: 'Partner' })
      await runTask(board, 'job-views')
      const answer = await board.get(pathOf(job.id), employer.key)
      const { days, sources, ...sums } = answer.body.data
      expect(sums).toEqual({ job_id: job.id, views: 3, saves: 1, applications: 2 })
      expect(sources).toEqual([
        { source: 'partner', applications: 1 },
        { source: null, applications: 1 },
      ])
      expect(days).toHaveLength(30)
      expect(days.slice(-2)).toEqual([
        { date: start, views: 2, saves: 1, applications: 0 },
        { date: board.clock.now().toISOString().slice(0, 10), views: 1, saves: 0, applications: 2 },
      ])
      expect((await board.get(pathOf(job.id), ADMIN_KEY)).body).toEqual(answer.body)
      board.clock.advance(40 * 86_400_000)
      const later = (await board.get(pathOf(job.id), employer.key)).body.data
      expect(later.views).toBe(3)
      expect(later.days.every(({ views }: { views: number }) => views === 0)).toBe(true)
    })

    test('counts page views by people other than the owner and admins, and API reads only by candidates', async () => {
      const employer = await board.employer()
      const job = await board.activeJob(employer)
      const { id } = job
      const path = jobPath(job)
      const candidate = await board.candidate()
      await look(path)
      // The second response comes from the cache.
      for (let n = 0; n < 2; n++) await board.get(`/v1/jobs/${id}`, candidate.key)
      expect(await viewsOf(id)).toBe(3)
      for (const agent of [
        'Googlebot/2.1 (+http://www.google.com/bot.html)',
        'curl/8.5.0',
        '',
        'bingbot',
        'AhrefsBot/7',
      ]) {
        await look(path, { 'user-agent': agent })
      }
      await look(path, { 'user-agent': BROWSER, 'sec-purpose': 'prefetch' })
      await look(path, undefined, 'HEAD')
      const owner = await visitor(board, employer)
      await owner.send('GET', path, { headers: { 'user-agent': BROWSER } })
      const applicant = await visitor(board, candidate)
      await applicant.send('GET', path, { headers: { 'user-agent': BROWSER, 'sec-purpose': 'prefetch' } })
      const operator = await visitor(board, { key: ADMIN_KEY })
      await operator.send('GET', path, { headers: { 'user-agent': BROWSER } })
      for (const key of [employer.key, ADMIN_KEY, (await board.integrator()).key, (await board.employer()).key]) {
        await board.get(`/v1/jobs/${id}`, key)
      }
      expect(await viewsOf(id)).toBe(3)
      const other = await visitor(board, await board.employer())
      await other.send('GET', path, { headers: { 'user-agent': BROWSER } })
      expect(await viewsOf(id)).toBe(4)
      await board.post(`/v1/jobs/${id}/close`, employer.key, {})
      await look(path)
      await board.get(`/v1/jobs/${id}`, candidate.key)
      expect(await viewsOf(id)).toBe(4)
    })

    test('loses no view in a database outage or when a process stops', async () => {
      const employer = await board.employer()
      const { id } = await board.activeJob(employer)
      const { database } = board
      await look(`/jobs/${id}`)
      const { inStatement } = database
      database.inStatement = () => Promise.reject(new Error('away'))
      await expect(taskOf(board, 'job-views').once()).rejects.toThrow('away')
      database.inStatement = inStatement
      await look(`/jobs/${id}`)
      await taskOf(board, 'job-views').finish!()
      expect(await viewsOf(id)).toBe(2)
    })

    test('counts every view once, even if the task runs twice at the same time', async () => {
      const employer = await board.employer()
      const jobs = [await board.activeJob(employer), await board.activeJob(employer)]
      for (let n = 0; n < 5; n++) {
        for (const { id } of jobs) await look(`/jobs/${id}`)
        await Promise.all([taskOf(board, 'job-views').once(), taskOf(board, 'job-views').once()])
      }
      for (const { id } of jobs) expect(await viewsOf(id)).toBe(5)
    })
  })

  status(304, () => answersNotModified(board, 'employer', request))
})
