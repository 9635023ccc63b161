/** The background extraction of resume text, with broken files and dying processes. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { resumesPersonalData } from '../../src/features/resumes/resumes.personal-data.ts'
import { deleteResume } from '../../src/features/resumes/resumes.service.ts'
import { resumeExtractor } from '../../src/features/resumes/resumes.tasks.ts'
import { createFiles, type Files } from '../../src/files/store.ts'
import { Budgets } from '../../src/lib/budgets.ts'
import { unconditionally } from '../../src/lib/entity-tags.ts'
import { AppError } from '../../src/lib/errors.ts'
import { insertApplication } from '../support/applications.ts'
import { ADMIN_KEY, useBoard } from '../support/board.ts'
import { documents, docxWithBody, lockedPdf, pdf, slowPdf } from '../support/documents.ts'
import { insertResume, RESUME, upload } from '../support/resumes.ts'
import { runTask, taskOf } from '../support/tasks.ts'

const board = useBoard()
const run = () => runTask(board, 'resume-extraction')
const extractionOf = (id: string) =>
  board.database.read((db) =>
    db
      .selectFrom('resume')
      .select(['extraction', 'extraction_attempts', 'extraction_error', 'extracted_text', 'extraction_lease_until'])
      .where('id', '=', id)
      .executeTakeFirst(),
  )
const done = (text: string) => ({
  extraction: 'done',
  extraction_attempts: 1,
  extraction_error: null,
  extracted_text: text,
  extraction_lease_until: null,
})
/** Returns the words in a candidate's search vector. */
const searchWords = async (candidateId: string) => {
  const { rows } = await board.database.read((db) =>
    sql<{ words: string[] }>`
      select tsvector_to_array(search) as words from candidate where id = ${candidateId}`.execute(db),
  )
  return rows[0]!.words
}
const files = () => createFiles(board.database, undefined)
const extractor = (overrides: Partial<Parameters<typeof resumeExtractor>[0]> = {}) =>
  resumeExtractor({
    ...{ database: board.database, clock: board.clock, budgets: board.service.budgets },
    ...{ files: files(), ...overrides },
  })

describe('text extraction', () => {
  test('reads every file type that can be uploaded', async () => {
    const candidate = await board.candidate()
    const ids: string[] = []
    for (const make of Object.values(documents)) ids.push((await upload(board, candidate, make('Cell chemistry'))).id)
    await run()
    for (const id of ids) expect(await extractionOf(id)).toEqual(done('Cell chemistry'))
  })

  test('records why there is no text, and continues with the next resume', async () => {
    const candidate = await board.candidate()
    const locked = await upload(board, candidate, lockedPdf())
    const bomb = await upload(board, candidate, docxWithBody(`<w:t>${' '.repeat(60_000_000)}</w:t>`))
    const broken = await upload(board, candidate, Buffer.from('%PDF-1.7\nnothing'))
    const sound = await upload(board, candidate, pdf('Sound'))
    await run()
    expect((await extractionOf(locked.id))?.extraction_error).toBe('password')
    expect((await extractionOf(bomb.id))?.extraction_error).toBe('too_large')
    expect((await extractionOf(broken.id))?.extraction_error).toBe('malformed')
    expect(await extractionOf(sound.id)).toEqual(done('Sound'))
    for (const { id } of [locked, bomb, broken])
      expect((await board.get(`${RESUME}/${id}`, candidate.key)).status).toBe(200)
  })

  test('is done only once by several workers', async () => {
    const candidate = await board.candidate()
    const { id } = await upload(board, candidate)
    let runs = 0
    const extract = async () => {
      runs++
      return { text: 'once' }
    }
    const workers = [1, 2, 3].map(() => extractor({ extract }).once())
    expect((await Promise.all(workers)).sort()).toEqual(['done', 'done', 'more'])
    expect([runs, await extractionOf(id)]).toEqual([1, done('once')])
  })

  test('is retried when the lease of a dead process expires, up to three attempts in all', async () => {
    const candidate = await board.candidate()
    const { id } = await upload(board, candidate)
    // Simulates a dead process: its attempt never ends, and the process writes nothing more.
    const dying = extractor({
      extract: () => {
        throw new Error('died')
      },
    })
    for (let attempt = 1; attempt <= 3; attempt++) {
      await expect(dying.once()).rejects.toThrow('died')
      expect(await extractionOf(id)).toMatchObject({ extraction: 'pending', extraction_attempts: attempt })
      // During the lease, no other worker claims the resume.
      expect(await dying.once()).toBe('done')
      board.clock.advance(60_000)
    }
    expect(await dying.once()).toBe('more')
    expect(await extractionOf(id)).toMatchObject({ extraction: 'failed', extraction_error: 'crashed' })
    expect(await dying.once()).toBe('done')
  })

  test('succeeds on the second attempt, and a late result of the first is ignored', async () => {
    const candidate = await board.candidate()
    const { id } = await upload(board, candidate)
    const late = Promise.withResolvers<{ text: string }>()
    const started = Promise.withResolvers<void>()
    const first = extractor({
      extract: () => {
        started.resolve()
        return late.promise
      },
    }).once()
    await started.promise
    board.clock.advance(60_000)
    await run()
    late.resolve({ text: 'late' })
    expect(await first).toBe('more')
    expect(await extractionOf(id)).toEqual({ ...done('Engineer'), extraction_attempts: 2 })
    const found = await searchWords(candidate.id)
    expect([found.includes('engineer'), found.includes('late')]).toEqual([true, false])
  })

  test('does not count attempts that failed in the file store', async () => {
    const candidate = await board.candidate()
    const { id } = await upload(board, candidate)
    const away: Files = {
      ...files(),
      async get() {
        throw new AppError('unavailable')
      },
    }
    const task = extractor({ files: away })
    for (let i = 0; i < 5; i++) {
      await expect(task.once()).rejects.toMatchObject({ code: 'unavailable' })
      board.clock.advance(60_000)
    }
    await run()
    expect(await extractionOf(id)).toEqual(done('Engineer'))
  })

  test('skips a resume that is deleted before its file is read, and requests another round', async () => {
    const candidate = await board.candidate()
    const { id } = await upload(board, candidate)
    const deleting: Files = {
      ...files(),
      async get(file) {
        await board.call('DELETE', `${RESUME}/${id}`, { key: candidate.key })
        return files().get(file)
      },
    }
    const task = extractor({ files: deleting })
    expect(await task.once()).toBe('more')
    expect(await extractionOf(id)).toBeUndefined()
  })

  test('writes nothing about a resume that is deleted during extraction', async () => {
    const candidate = await board.candidate()
    const [removed, carried] = [await upload(board, candidate), await upload(board, candidate)]
    await insertApplication(board, candidate, await board.employer(), carried.id)
    const task = extractor({
      extract: async () => {
        for (const { id } of [removed, carried]) await board.delete(`${RESUME}/${id}`, candidate.key)
        return { text: 'too late' }
      },
    })
    expect(await task.once()).toBe('more')
    expect(await task.once()).toBe('done')
    expect(await extractionOf(removed.id)).toBeUndefined()
    expect((await extractionOf(carried.id))?.extracted_text).toBeNull()
    expect(await searchWords(candidate.id)).not.toContain('late')
  })
})

describe("candidates' turns", () => {
  test("let another candidate's resume wait for only one of ten slow documents, which is stopped after 5 s", async () => {
    const [one, other] = [await board.candidate(), await board.candidate()]
    const slow: string[] = []
    for (let n = 0; n < 10; n++) slow.push((await upload(board, one, slowPdf())).id)
    board.clock.advance(1)
    const { id } = await upload(board, other)
    const task = taskOf(board, 'resume-extraction')
    await task.once()
    expect((await extractionOf(slow[0]!))?.extraction_error).toBe('timeout')
    await task.once()
    expect(await extractionOf(id)).toEqual(done('Engineer'))
    expect((await extractionOf(slow[1]!))?.extraction).toBe('pending')
    const { budgets } = (await board.get(`/v1/admin/accounts/${one.id}`, ADMIN_KEY)).body.data
    const { used } = budgets.find(({ name }: { name: string }) => name === 'extraction-time')
    expect(used).toBeGreaterThanOrEqual(5_000)
    const charged = /^budget_charged_total\{budget="extraction-time"\} (\d+)$/m.exec(
      (await board.get('/metrics', ADMIN_KEY)).text,
    )
    expect(Number(charged![1])).toBeGreaterThan(used)
    for (const slower of slow) await board.delete(`${RESUME}/${slower}`, one.key)
  }, 30_000)

  test("let a candidate's resumes wait, without failing them, while the candidate's budget is spent", async () => {
    const [one, other] = [await board.candidate(), await board.candidate()]
    board.clock.advance(3_600_000)
    const budgets = new Budgets(board.clock)
    let ms = 0
    const task = extractor({
      budgets,
      extract: async () => {
        ms += 60_000
        return { text: 'read' }
      },
      monotonicMs: () => ms,
    })
    const ids: string[] = []
    for (let n = 0; n < 3; n++) {
      ids.push((await upload(board, one)).id)
      board.clock.advance(1)
    }
    expect([await task.once(), await task.once(), await task.once()]).toEqual(['more', 'more', 'done'])
    const states = async () => Promise.all(ids.map(async (id) => (await extractionOf(id))?.extraction))
    expect(await states()).toEqual(['done', 'done', 'pending'])
    expect(await task.backlog!()).toEqual({ waiting: 0, since: null })
    expect(budgets.usesOf(one.id)).toContainEqual(expect.objectContaining({ name: 'extraction-time', used: 120_000 }))
    const { id } = await upload(board, other)
    expect([await task.once(), await task.once()]).toEqual(['more', 'done'])
    expect((await extractionOf(id))?.extraction).toBe('done')
    board.clock.advance(3_600_000)
    expect((await task.backlog!()).waiting).toBe(1)
    expect(await task.once()).toBe('more')
    expect(await states()).toEqual(['done', 'done', 'done'])
  })

  test('prefer the candidate who has used the least extraction time, and then the oldest resume', async () => {
    const step = fc.oneof(
      fc.record({ act: fc.constant('upload' as const), who: fc.nat({ max: 2 }) }),
      fc.record({ act: fc.constant('read' as const), ms: fc.integer({ min: 1, max: 3_000 }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const candidates = [await board.candidate(), await board.candidate(), await board.candidate()]
        // Starts a new budget window for all candidates.
        board.clock.advance(3_600_000)
        const waiting: { id: string; who: number }[] = []
        const spent = [0, 0, 0]
        let [readId, ms] = ['', 0]
        let duration = 1
        const task = extractor({
          budgets: new Budgets(board.clock),
          files: {
            ...files(),
            async get({ id }) {
              readId = id
              return pdf('x')
            },
          },
          extract: async () => {
            ms += duration
            return { text: 'x' }
          },
          monotonicMs: () => ms,
        })
        const read = async () => {
          const next = waiting.toSorted((a, b) => spent[a.who]! - spent[b.who]!)[0]
          expect(await task.once()).toBe(next ? 'more' : 'done')
          if (!next) return
          expect(readId).toBe(next.id)
          spent[next.who]! += duration
          waiting.splice(waiting.indexOf(next), 1)
        }
        try {
          for (const one of steps) {
            if (one.act === 'read') {
              duration = one.ms
              await read()
            } else {
              board.clock.advance(1)
              waiting.push({ id: await insertResume(board, candidates[one.who]!.id), who: one.who })
            }
          }
          while (waiting.length > 0) await read()
        } finally {
          // A failed property run must not affect the later runs that shrink the failing case.
          for (let left = waiting.length; left >= 0; left--) await task.once()
        }
      }),
      { numRuns: 20 },
    )
  }, 30_000)
})

describe('the search vector', () => {
  test('contains the text of the default resume after an extraction, an upload and a deletion', async () => {
    const candidate = await board.candidate()
    const isFound = async () => (await searchWords(candidate.id)).includes('engineer')
    await upload(board, candidate, pdf('Engineer'))
    expect(await isFound()).toBe(false)
    await extractor().once()
    expect(await isFound()).toBe(true)
    const newer = await upload(board, candidate, pdf('Welder'))
    expect(await isFound()).toBe(false)
    await board.delete(`${RESUME}/${newer.id}`, candidate.key)
    expect(await isFound()).toBe(true)
  })
})

describe('simultaneous work on one candidate', () => {
  test('finishes without deadlocks', async () => {
    const candidate = await board.candidate()
    const now = board.clock.now()
    const task = extractor({ extract: async () => ({ text: 'x' }) })
    for (let round = 0; round < 5; round++) {
      const ids = [await upload(board, candidate), await upload(board, candidate)].map(({ id }) => id)
      const outcomes = await Promise.allSettled([
        task.once(),
        task.once(),
        ...ids.map((id) =>
          board.database.inTx((tx) =>
            deleteResume(tx, { candidateId: candidate.id, id, precondition: unconditionally, now }),
          ),
        ),
        upload(board, candidate),
        board.database.inTx((tx) => resumesPersonalData.erase(tx, candidate.id, now)),
      ])
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'not_found' })
      }
    }
  })
})

describe('personal data', () => {
  test('is exported completely and erased without a trace', async () => {
    const candidate = await board.candidate()
    const kept = await upload(board, await board.candidate())
    const [first, second] = [await upload(board, candidate), await upload(board, candidate)]
    await run()
    await insertApplication(board, candidate, await board.employer(), first.id)
    await board.delete(`${RESUME}/${first.id}`, candidate.key)
    const now = board.clock.now()
    expect(await board.database.read((db) => resumesPersonalData.export(db, candidate.id))).toEqual(
      [first, second].map(({ id, filename, content_type, size_bytes, sha256, created_at }) => ({
        id,
        filename,
        content_type,
        size_bytes,
        sha256,
        created_at,
        deleted_at: id === first.id ? now.toISOString() : null,
        extracted_text: id === first.id ? null : 'Engineer',
      })),
    )
    await board.database.inTx((tx) => resumesPersonalData.erase(tx, candidate.id, now))
    await board.database.inTx((tx) => resumesPersonalData.erase(tx, candidate.id, now))
    expect(await board.database.read((db) => resumesPersonalData.export(db, candidate.id))).toEqual([])
    const contents = await board.database.read((db) => db.selectFrom('resume_content').select('resume_id').execute())
    const ids = contents.map(({ resume_id }) => resume_id)
    expect(ids).toContain(kept.id)
    expect(ids).not.toContain(first.id)
    expect(ids).not.toContain(second.id)
  })
})
