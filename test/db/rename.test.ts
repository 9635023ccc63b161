import { expect, test } from 'vitest'
import { jobBody, useBoard } from '../support/board.ts'

const board = useBoard()

test('a new job has the current name of its employer, even right after a rename', async () => {
  const employer = await board.employer({ name: 'Before Motors' })
  // After this request, the key and the name are cached for a second.
  await board.job(employer)
  const create = () => board.post('/v1/jobs', employer.key, jobBody({ title: 'Painter' }))
  const rename = () => board.put('/v1/employers/profile', employer.key, { name: 'After Motors' })
  const answers = await Promise.all([create(), create(), rename(), create(), create(), rename(), create()])
  answers.push(await create())
  for (const { status } of answers) expect([200, 201]).toContain(status)
  expect(answers.at(-1)!.body.data.company).toBe('After Motors')

  // The first search indexes the words of drafts.
  const { body: found } = await board.get('/v1/employers/jobs?search=after', employer.key)
  expect(found.meta.pagination.total).toBe(7)
  const rows = await board.database.read((db) =>
    db
      .selectFrom('job')
      .where('employer_id', '=', employer.id)
      .select(['id', 'company', 'company_sort', 'search'])
      .execute(),
  )
  expect(rows).toHaveLength(7)
  for (const row of rows) {
    expect(row).toMatchObject({ company: 'After Motors', company_sort: 'after motors' })
    expect(row.search).toContain("'after'")
    expect(row.search).not.toContain("'before'")
  }
  const events = await board.database.read((db) =>
    db.selectFrom('event').where('type', '=', 'job.created').select(['subject_id']).execute(),
  )
  expect(events.map(({ subject_id }) => subject_id).sort()).toEqual(rows.map(({ id }) => id).sort())
})
