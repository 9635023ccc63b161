/** Over HTTP, names with hidden characters or mixed alphabets are refused, and URLs are shown in ASCII. */
import { expect, test } from 'vitest'
import { expectStatus, jobBody, useBoard } from '../support/board.ts'
import { visitor } from '../support/pages.ts'

const board = useBoard()

const faultsOf = async (method: string, path: string, key: string | undefined, body: unknown) => {
  const { errors } = expectStatus(await board.call(method, path, { key, body }), 422).body
  return errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
}

test('names and texts with hidden characters or mixed alphabets are refused', async () => {
  const rlo = 'a\u202eb'
  const { key } = await board.employer()
  const candidate = await board.candidate()
  expect(await faultsOf('POST', '/v1/employers', undefined, { name: rlo, email: 'a@b.example' })).toEqual([
    '#/name invalid_text',
  ])
  expect(
    await faultsOf('POST', '/v1/candidates', undefined, {
      first_name: rlo,
      last_name: 'a\u200bb',
      email: 'a@b.example',
    }),
  ).toEqual(['#/first_name invalid_text', '#/last_name invalid_text'])
  const job = { title: rlo, location: rlo, description: rlo, skills: ['a\u200db'], requirements: [rlo] }
  expect(await faultsOf('POST', '/v1/jobs', key, jobBody(job))).toEqual([
    '#/title invalid_text',
    '#/description invalid_text',
    '#/location invalid_text',
    '#/requirements/0 invalid_text',
    '#/skills/0 invalid_text',
  ])
  const profile = { headline: rlo, summary: rlo, experience: [{ title: rlo, company: rlo, start_date: '2020-01' }] }
  expect(await faultsOf('PUT', '/v1/candidates/profile', candidate.key, profile)).toEqual([
    '#/headline invalid_text',
    '#/summary invalid_text',
    '#/experience/0/title invalid_text',
    '#/experience/0/company invalid_text',
  ])
  const { body } = await board.post('/v1/jobs', key, jobBody({ title: 'Gооgle engineer' }))
  expect(body.errors[0].detail).toBe(
    'title must not mix alphabets in one word: “Gооgle” has letters that look Latin but are not. Type the word again.',
  )
})

test('personal names in non-Latin scripts or with emoji are accepted unchanged', async () => {
  for (const [first_name, last_name] of [
    ['محمد', 'می\u200cخواهم'],
    ['משה', 'בן־דוד'],
    ['राजेश', 'क्\u200dष'],
    ['Ada 👩🏽\u200d💻', 'Łukasz'],
  ]) {
    const { key } = await board.candidate({ first_name, last_name })
    expect((await board.get('/v1/candidates/profile', key)).body.data).toMatchObject({ first_name, last_name })
  }
})

test('an email address needs an ASCII domain, and the error explains it', async () => {
  const body = { name: 'A', email: 'ada@аррӏе.com' }
  const { errors } = expectStatus(await board.post('/v1/employers', undefined, body), 422).body
  expect(errors[0].detail).toBe('email must be an email address with an ASCII domain (xn--…).')
  expectStatus(await board.post('/v1/employers', undefined, { ...body, email: 'ada@xn--80ak6aa92e.com' }), 201)
})

test('pages show a website URL with non-ASCII letters in ASCII', async () => {
  const employer = await board.employer({ website: 'https://аррӏе.com/jobs' })
  const { id } = await board.activeJob(employer)
  const page = await (await visitor(board)).get(`/jobs/${id}`)
  expect(page.text).toContain('>https://xn--80ak6aa92e.com/jobs</a>')
  expect((await board.get(`/v1/jobs/${id}`, employer.key)).body.data.company_website).toBe('https://аррӏе.com/jobs')
})
