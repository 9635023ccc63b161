/** The console pages for feeds, without JavaScript. test/db/feeds.test.ts tests the results of runs. */
import { expect, test } from 'vitest'
import { expectStatus, useBoard } from '../support/board.ts'
import { FEEDS, feed, ndjsonOf, posting, push } from '../support/feeds.ts'
import { faultOf, visitor } from '../support/pages.ts'
import { runTask } from '../support/tasks.ts'

const board = useBoard()
const LIST = '/console/feeds'

test('an employer creates, changes, runs and deletes a feed, and decides about a held run', async () => {
  const employer = await board.employer()
  const person = await visitor(board, employer)
  const form = await person.get(`${LIST}/new`)
  expect(form.document.querySelector('[name="is_prepaid"], [name="employer_id"]')).toBeNull()
  const wrong = await person.submit(form, LIST, { name: 'Careers', format: 'lever', every_minutes: '5' })
  expect([wrong.status, faultOf(wrong, 'board'), faultOf(wrong, 'every_minutes')]).toEqual([
    ...[422, 'Enter the board name for Lever.', 'Interval must be at least 15.'],
  ])
  const made = await person.submit(wrong, LIST, { format: 'ndjson', every_minutes: '30' })
  expect(made.seen).toContain('Feed created')
  const own = made.path
  const id = own.slice(LIST.length + 1)
  expect(made.seen).toContain('Send its document with the API.')
  expect((await board.get(`${FEEDS}/${id}`, employer.key)).body.data).toMatchObject({ every_minutes: 30, url: null })

  await feed(board, id, [posting('1'), posting('2', { location: '' })], employer.key)
  const shown = await person.get(own)
  const report = await person.get(shown.document.querySelector('table a')!.getAttribute('href')!)
  expect(report.seen).toContain('Postings read2')
  expect(report.seen).toContain('invalid_location')
  const held = await feed(board, id, '', employer.key)
  expect((await person.get(LIST)).seen).toContain('Held')
  const heldPath = `${own}/runs/${held.id}`
  expect((await person.get(own)).document.querySelector(`a[href="${heldPath}"]`)).not.toBeNull()
  const question = await person.get(heldPath)
  expect(question.seen).toContain('The document has no postings.')
  expect((await person.submit(question, `${heldPath}/discard`)).seen).toContain('Run discarded')
  expect((await person.post(`${heldPath}/approve`, { _csrf: await person.csrfToken() })).status).toBe(409)
  const again = `${own}/runs/${(await feed(board, id, '', employer.key)).id}`
  expect((await person.submit(await person.get(again), `${again}/approve`)).seen).toContain('Run approved')
  await runTask(board, 'feeds')

  const edit = await person.get(`${own}/edit`)
  const saved = await person.submit(edit, own, { url: 'https://jobs.example/feed', is_active: 'false' })
  expect(saved.seen).toContain('Feed saved')
  expect(saved.seen).toContain('Paused')
  const dry = await person.submit(saved, `${own}/runs`, { dry_run: 'true' })
  expect(dry.seen).toContain('Dry run')
  // A second run is refused until this one ends.
  expect((await person.submit(await person.get(own), `${own}/runs`)).status).toBe(409)
  await runTask(board, 'feeds')
  const deleted = await person.submit(await person.get(`${own}/delete`), `${own}/delete`, { jobs: 'keep' })
  expect(deleted.seen).toContain('Feed deleted')
  expect((await person.get(own)).status).toBe(404)
})

test("an admin sees all feeds, and a dry run's first postings as text", async () => {
  const employer = await board.employer()
  const body = { name: 'Gearwright careers', format: 'ndjson' }
  const { id } = expectStatus(await board.post(FEEDS, employer.key, body), 201).body.data
  const document = ndjsonOf([posting('1', { title: '<b>Bold</b>', description: '<script>alert(1)</script>' })])
  const run = expectStatus(await push(board, id, document, employer.key), 202).body.data
  await board.database.inTx((tx) =>
    tx.updateTable('feed_run').set({ dry_run: true }).where('id', '=', run.id).execute(),
  )
  await runTask(board, 'feeds')
  const { sample } = (await board.get(`${FEEDS}/${id}/runs/${run.id}`, employer.key)).body.data
  expect(sample).toMatchObject([{ external_id: '1', title: '<b>Bold</b>', location: 'Leipzig' }])
  const admin = await visitor(board, await board.account('admin'))
  expect((await admin.get(LIST)).seen).toContain('Gearwright careers')
  const page = await admin.get(`${LIST}/${id}/runs/${run.id}`)
  expect(page.document.querySelector('h3')!.innerHTML).toBe('&lt;b&gt;Bold&lt;/b&gt;')
  expect(page.document.querySelectorAll('script:not([src])')).toEqual([])
  const form = await admin.get(`${LIST}/new`)
  const created = await admin.submit(form, LIST, { ...body, employer_id: employer.id, is_prepaid: 'true' })
  expect(created.document.querySelector(`a[href="/desk/accounts/${employer.id}"]`)).not.toBeNull()
  const activity = await admin.get('/desk/activity')
  expect(activity.seen).toContain('Created the feed')
  const stranger = await visitor(board, await board.employer())
  expect((await stranger.get(`${LIST}/${id}`)).status).toBe(404)
})
