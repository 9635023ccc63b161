/** Upgrades: jobs of an earlier release get a language and the search vectors that depend on it (decision 0094). */
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { searchVector } from '../../src/search/text/words.ts'
import { makeAlert } from '../support/alerts.ts'
import { ADMIN_KEY, useBoard } from '../support/board.ts'
import { insertJobs, removeJobs } from '../support/jobs.ts'
import { runTogether, taskOf } from '../support/tasks.ts'

const board = useBoard()
beforeEach(() => removeJobs(board))

const texts = {
  de: {
    title: 'Entwicklerin',
    description: 'Wir suchen Sie für die Entwicklungen unserer Steuergeräte in der Werkstatt.',
  },
  fr: { title: 'Développeuse', description: 'Vous développez les services pour les bornes de notre réseau.' },
  en: { title: 'Designer', description: 'You will design the packs for our vans.' },
}

/** Removes the languages of all jobs, and restores the English search vectors that an earlier release wrote. */
async function forget(): Promise<void> {
  await board.database.inTx(async (tx) => {
    const jobs = await tx.selectFrom('job').select(['id', 'title', 'skills', 'company', 'description']).execute()
    for (const { id, ...texts } of jobs) {
      const search = searchVector({ ...texts, language: null })
      await sql`update job set language = null, search = case when search is null then null else ${search}::tsvector end
        where id = ${id}`.execute(tx)
    }
  })
}
const languages = () =>
  board.database.read(async (db) => {
    const rows = await db.selectFrom('job').select(['title', 'language']).where('state', '<>', 'deleted').execute()
    return Object.fromEntries(rows.map(({ title, language }) => [title, language]))
  })
const found = async (query: string) => {
  const { body } = await board.get(`/v1/jobs?${query}`, ADMIN_KEY)
  return (body.data as { title: string }[]).map(({ title }) => title).sort()
}

test('jobs of an earlier release keep their English stems until the task has detected their languages', async () => {
  await insertJobs(board, Object.values(texts))
  const draft = await board.job(await board.employer(), { ...texts.de, title: 'Entwurf' })
  await forget()
  expect(await found('search=designing%20')).toEqual(['Designer'])
  expect(await found('search=Entwicklungen%20')).toEqual(['Entwicklerin'])
  expect([await found('search=Entwicklung%20'), await found('language=de')]).toEqual([[], []])
  expect((await board.get('/v1/jobs', ADMIN_KEY)).body.data[0].language).toBeNull()
  expect(await taskOf(board, 'job-languages').once()).toBe('done')
  expect(await languages()).toEqual({ Entwicklerin: 'de', Développeuse: 'fr', Designer: 'en', Entwurf: 'de' })
  expect(await found('search=Entwicklung%20')).toEqual(['Entwicklerin'])
  expect(await found('search=developper%20bornes%20')).toEqual(['Développeuse'])
  expect(await found('search=designing%20')).toEqual(['Designer'])
  expect(await found('language_in=de,fr')).toEqual(['Développeuse', 'Entwicklerin'])
  // A draft still has no search vector.
  const { search } = await board.database.read((db) =>
    db.selectFrom('job').select('search').where('id', '=', draft.id).executeTakeFirstOrThrow(),
  )
  expect(search).toBeNull()
  // Detection does not count as a job change.
  expect(await board.events('job.updated')).toEqual([])
})

test('languages are detected in batches, even by several processes at once', async () => {
  await insertJobs(
    board,
    Array.from({ length: 450 }, (_, n) => (n % 2 === 0 ? texts.de : texts.en)),
  )
  await board.database.inTx((tx) => sql`update job set language = null`.execute(tx))
  const task = taskOf(board, 'job-languages')
  // A pause follows, because every process reloads these jobs.
  expect([await task.once(), task.soonMs]).toEqual(['some', 500])
  const left = await board.database.read((db) =>
    db.selectFrom('job').select('id').where('language', 'is', null).where('state', '<>', 'deleted').execute(),
  )
  expect(left).toHaveLength(250)
  await runTogether([task, taskOf(board, 'job-languages')])
  expect((await found('language=de&limit=100')).length).toBe(100)
  expect((await board.get('/v1/jobs?language=de', ADMIN_KEY)).body.meta.pagination.total).toBe(225)
})

test('instant alerts wait until the language of a job is known', async () => {
  const candidate = await board.candidate()
  await makeAlert(board, candidate, { criteria: { search: 'Entwicklung ' }, frequency: 'instant' })
  await insertJobs(board, [texts.de])
  await forget()
  const matches = () => board.database.read((db) => db.selectFrom('job_alert_match').select('job_id').execute())
  await runTogether([taskOf(board, 'job-alerts-instant')])
  expect(await matches()).toEqual([])
  await runTogether([taskOf(board, 'job-languages')])
  await runTogether([taskOf(board, 'job-alerts-instant')])
  expect(await matches()).toHaveLength(1)
})
