/** Files in a local S3 server, and recovery from failures between the file store and the database. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resumesPersonalData } from '../../src/features/resumes/resumes.personal-data.ts'
import { addResume, stageResume } from '../../src/features/resumes/resumes.service.ts'
import { createS3, parseS3Url } from '../../src/files/s3.ts'
import { createFiles, type Files } from '../../src/files/store.ts'
import { AppError } from '../../src/lib/errors.ts'
import { insertApplication } from '../support/applications.ts'
import { useBoard } from '../support/board.ts'
import { pdf } from '../support/documents.ts'
import { formOf, RESUME, sendForm, upload } from '../support/resumes.ts'
import { TestS3 } from '../support/s3.ts'
import { runTask, taskOf } from '../support/tasks.ts'

const HOUR_MS = 3_600_000
const board = useBoard()
let s3: TestS3
beforeAll(async () => {
  s3 = await TestS3.start()
  await board.restart({ FILES_URL: s3.url() })
})
afterAll(() => s3.stop())

const bytes = pdf('Battery engineer')
const staged = () =>
  board.database.read((db) => db.selectFrom('stored_object_to_delete').selectAll().orderBy('key').execute())
const objects = () => createS3(parseS3Url(s3.url())!)
const whole = { first: 0, last: bytes.length - 1 }
const clean = () => runTask(board, 'discarded-files')
const stage = (files: Files, candidateId: string, upload: { filename: string; bytes: Buffer }, now: Date) =>
  board.database.read((db) => stageResume(db, { files, candidateId, upload, now }))

describe('resumes in an object store', () => {
  test('are written, read by range and deleted with signed requests', async () => {
    const candidate = await board.candidate()
    const { id } = await upload(board, candidate, bytes)
    expect(s3.seen).toContain(`PUT /resumes/${id} 200`)
    expect(await staged()).toEqual([])
    const content = await board.database.read((db) => db.selectFrom('resume_content').selectAll().execute())
    expect(content).toEqual([])
    expect((await board.get(`${RESUME}/${id}`, candidate.key)).bytes.equals(bytes)).toBe(true)
    const part = await board.call('GET', `${RESUME}/${id}`, { key: candidate.key, headers: { range: 'bytes=-5' } })
    expect([part.status, part.text]).toEqual([206, bytes.subarray(-5).toString()])

    expect((await board.delete(`${RESUME}/${id}`, candidate.key)).status).toBe(204)
    expect(await objects().get(id, whole)).toEqual(bytes)
    await clean()
    await expect(objects().get(id, whole)).rejects.toThrow('404')
    expect(await staged()).toEqual([])
  })

  test('are kept while an application refers to them', async () => {
    const candidate = await board.candidate()
    const employer = await board.employer()
    const { id } = await upload(board, candidate, bytes)
    await insertApplication(board, candidate, employer, id)
    await board.delete(`${RESUME}/${id}`, candidate.key)
    await clean()
    expect((await board.get(`${RESUME}/${id}`, employer.key)).status).toBe(200)
  })

  test('can be read only while their store is configured, unlike resumes in the database', async () => {
    const candidate = await board.candidate()
    const remote = await upload(board, candidate, bytes)
    await board.restart()
    const local = await upload(board, candidate, bytes)
    expect((await board.get(`${RESUME}/${remote.id}`, candidate.key)).status).toBe(503)
    expect((await board.get(`${RESUME}/${local.id}`, candidate.key)).status).toBe(200)
    await board.restart({ FILES_URL: s3.url() })
    for (const { id } of [remote, local]) {
      expect((await board.get(`${RESUME}/${id}`, candidate.key)).bytes.equals(bytes)).toBe(true)
    }
  })

  test('are refused while the store rejects the key, lacks the bucket or is unreachable', async () => {
    const candidate = await board.candidate()
    for (const url of [s3.url('wrong'), s3.url(undefined, 'missing'), 'http://a:b@127.0.0.1:1/files']) {
      const files = createFiles(board.database, createS3(parseS3Url(url)!))
      const attempt = stage(files, candidate.id, { filename: 'a', bytes }, board.clock.now())
      await expect(attempt).rejects.toMatchObject({ code: 'unavailable', options: { headers: { 'retry-after': '5' } } })
    }
    board.clock.advance(HOUR_MS)
    await clean()
    expect(await staged()).toEqual([])
  })

  test('are refused while the store hangs', async () => {
    const slow = createFiles(board.database, createS3(parseS3Url(s3.url())!, 100))
    const candidate = await board.candidate()
    const { id } = await upload(board, candidate, bytes)
    s3.mode = 'hang'
    try {
      const attempt = stage(slow, candidate.id, { filename: 'a', bytes }, board.clock.now())
      await expect(attempt).rejects.toMatchObject({ code: 'unavailable' })
      const reading = slow.get({ id, store: 's3', size_bytes: bytes.length })
      await expect(reading).rejects.toMatchObject({ code: 'unavailable' })
    } finally {
      s3.mode = 'pass'
    }
    const { length } = (await board.get('/v1/candidates/resumes', candidate.key)).body.data
    expect(length).toBe(1)
  })

  test('leave no object behind if the upload fails after the object was stored', async () => {
    const candidate = await board.candidate()
    for (let i = 0; i < 9; i++) await upload(board, candidate, bytes)
    const files = createFiles(board.database, objects())
    const resume = await stage(files, candidate.id, { filename: 'a', bytes }, board.clock.now())
    await upload(board, candidate, bytes)
    await expect(board.database.inTx((tx) => addResume(tx, resume))).rejects.toMatchObject({
      code: 'limit_reached',
    })
    expect(await objects().get(resume.row.id, whole)).toEqual(bytes)
    await clean()
    expect(await objects().get(resume.row.id, whole)).toEqual(bytes)
    board.clock.advance(HOUR_MS)
    await clean()
    await expect(objects().get(resume.row.id, whole)).rejects.toThrow('404')
    expect(await staged()).toEqual([])
    // A further upload is refused before it stores an object.
    const before = s3.seen.length
    const answer = await sendForm(board, candidate.key, formOf(bytes))
    expect([answer.status, s3.seen.length]).toEqual([409, before])
  })

  test('cannot be added to a profile once their removal has begun', async () => {
    const candidate = await board.candidate()
    const files = createFiles(board.database, objects())
    const resume = await stage(files, candidate.id, { filename: 'a', bytes }, board.clock.now())
    board.clock.advance(HOUR_MS)
    s3.mode = 'fail'
    await expect(clean()).rejects.toThrow('500')
    s3.mode = 'pass'
    await expect(board.database.inTx((tx) => addResume(tx, resume))).rejects.toBeInstanceOf(AppError)
    expect((await board.get('/v1/candidates/resumes', candidate.key)).body.data).toEqual([])
    // The removal is retried after its lease has expired.
    expect((await staged()).map(({ key }) => key)).toContain(resume.row.id)
    expect(await taskOf(board, 'discarded-files').once()).toBe('done')
    await expect(objects().get(resume.row.id, whole)).resolves.toEqual(bytes)
    board.clock.advance(HOUR_MS)
    await clean()
    await expect(objects().get(resume.row.id, whole)).rejects.toThrow('404')
  })

  test('are deleted with the erased profile, including resumes sent with applications', async () => {
    const candidate = await board.candidate()
    const employer = await board.employer()
    const [carried, other] = [await upload(board, candidate, bytes), await upload(board, candidate, bytes)]
    await insertApplication(board, candidate, employer, carried.id)
    await board.delete(`${RESUME}/${carried.id}`, candidate.key)
    await board.database.inTx((tx) => resumesPersonalData.erase(tx, candidate.id, board.clock.now()))
    expect((await board.get(`${RESUME}/${carried.id}`, employer.key)).status).toBe(404)
    await clean()
    for (const { id } of [carried, other]) await expect(objects().get(id, whole)).rejects.toThrow('404')
  })
})

describe('parseS3Url', () => {
  test.each([
    ['https://k:s@s3.example.com/files', 'https://s3.example.com/files', 'us-east-1'],
    ['http://k:s@127.0.0.1:9000/my.files/?region=eu-1', 'http://127.0.0.1:9000/my.files', 'eu-1'],
  ])('reads %s', (text, url, region) => {
    expect(parseS3Url(text)).toEqual({ url, region, accessKeyId: 'k', secretAccessKey: 's' })
  })

  test.each([
    'files',
    's3://k:s@host/files',
    'https://s3.example.com/files',
    'https://k@s3.example.com/files',
    'https://k:s@s3.example.com',
    'https://k:s@s3.example.com/',
    'https://k:s@s3.example.com/a/b',
    'https://k:s@s3.example.com/Files',
    'https://k:%@s3.example.com/files',
    'https://k:s@s3.example.com/files?zone=1',
    'https://k:s@s3.example.com/files?region=a%20b',
    'https://k:s@s3.example.com/files#x',
  ])('refuses %s', (text) => {
    expect(parseS3Url(text)).toBeUndefined()
  })
})
