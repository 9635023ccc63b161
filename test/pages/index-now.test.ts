/** Announcements of changed jobs, against a receiver on this machine. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { jobPath } from '../../src/features/jobs/index.ts'
import { useBoard } from '../support/board.ts'
import { insertJobs } from '../support/jobs.ts'
import { visitor } from '../support/pages.ts'
import { runTask, runTogether, taskOf } from '../support/tasks.ts'

interface Announcement {
  urlList: string[]
}

const received: Announcement[] = []
let status = 202
const receiver = createServer(async (request, response) => {
  received.push((await json(request)) as Announcement)
  response.writeHead(status).end('{}')
})
await once(receiver.listen(0, '127.0.0.1'), 'listening')
const key = 'test-key-0123456789'
const { port } = receiver.address() as AddressInfo
const board = useBoard({ INDEXNOW_KEY: key, INDEXNOW_URL: `http://127.0.0.1:${port}/indexnow` })
afterAll(() => void receiver.close())

const urlOf = (job: { id: string; title: string }) => `https://board.example${jobPath(job)}`
/** Changes have the database's time, and the clock of the tests must not differ from it. */
const keepTime = () => board.clock.advance(Date.now() - board.clock.time)

async function announced(): Promise<string[]> {
  keepTime()
  received.length = 0
  await runTask(board, 'index-now')
  return received.flatMap(({ urlList }) => urlList)
}

test('announces each job that appears, changes or leaves the board, and no other', async () => {
  keepTime()
  const employer = await board.employer()
  const old = await board.activeJob(employer, { title: 'Old job' })
  expect((await (await visitor(board)).get(`/${key}.txt`)).text).toBe(key)
  // The first round only records the time.
  expect(await announced()).toEqual([])
  await board.job(employer, { title: 'Draft' })
  const job = await board.activeJob(employer, { title: 'New job' })
  const [imported] = await insertJobs(board, [{ title: 'Imported job' }])
  const urls = [urlOf(job), urlOf({ id: imported!, title: 'Imported job' })]
  expect((await announced()).sort()).toEqual(urls.sort())
  expect(received).toEqual([
    { host: 'board.example', key, keyLocation: `https://board.example/${key}.txt`, urlList: expect.anything() },
  ])
  expect(await announced()).toEqual([])
  await board.post(`/v1/jobs/${old.id}/close`, employer.key)
  await board.put(`/v1/jobs/${job.id}`, employer.key, { description: 'Another text.' })
  expect((await announced()).sort()).toEqual([urlOf(old), urlOf(job)].sort())
})

test('repeats announcements that were refused, after the lease, and sends them from one process only', async () => {
  const employer = await board.employer()
  const job = await board.activeJob(employer, { title: 'Refused job' })
  status = 429
  await expect(announced()).rejects.toThrow('IndexNow refused 1 addresses with status 429')
  status = 200
  // The failed round still has the lease.
  expect(await announced()).toEqual([])
  board.clock.advance(600_001)
  received.length = 0
  await runTogether([taskOf(board, 'index-now'), taskOf(board, 'index-now')])
  expect(received.map(({ urlList }) => urlList)).toEqual([[urlOf(job)]])
})
