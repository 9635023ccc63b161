/** The employer's candidate search. It must not show more than GET /v1/candidates. */
import { beforeAll, expect, test } from 'vitest'
import { apply } from '../support/applications.ts'
import { type Account, useBoard } from '../support/board.ts'
import { type Visitor, visitor } from '../support/pages.ts'

const board = useBoard()
const LIST = '/employer/candidates'
let employer: Account
let me: Visitor
let shown: Account
let hidden: Account
let applicant: Account

beforeAll(async () => {
  employer = await board.employer()
  me = await visitor(board, employer)
  const person = async (last_name: string, profile: object) => {
    const account = await board.candidate({ first_name: 'Kim', last_name })
    const changed = { phone: '+46 31 555 01 00', ...profile }
    expect((await board.put('/v1/candidates/profile', account.key, changed)).status).toBe(200)
    return account
  }
  shown = await person('Shown', {
    is_searchable: true,
    headline: '<b>Welder</b>',
    skills: ['TIG', 'MIG'],
    summary: 'Ten years of pipes.',
    website: 'https://shown.example',
    experience: [{ title: 'Pipe welder', company: 'Tarn Pumps', start_date: '2020-01' }],
  })
  hidden = await person('Hidden', { is_searchable: false, skills: ['TIG'] })
  applicant = await person('Applicant', { is_searchable: false, skills: ['MIG'] })
  await apply(board, applicant, (await board.activeJob(employer)).id)
})

const names = async (path: string, by = me) =>
  (await by.get(path)).document.querySelectorAll('.person h3 a').map((link) => link.textContent)

test("the list contains only searchable candidates and the employer's applicants", async () => {
  expect((await names(`${LIST}?sort=last_name:asc`)).sort()).toEqual(['Kim Applicant', 'Kim Shown'])
  expect(await names(LIST, await visitor(board, await board.employer()))).toEqual(['Kim Shown'])
  expect((await me.get(`${LIST}/${hidden.id}`)).status).toBe(404)
})

test("a candidate's page shows contact details only if the candidate has applied to the employer", async () => {
  const own = await me.get(`${LIST}/${applicant.id}`)
  expect(own.seen).toContain('+46 31 555 01 00')
  expect(own.document.querySelector('main a[href^="mailto:"]')).not.toBeNull()
  const other = await me.get(`${LIST}/${shown.id}`)
  expect(other.text).not.toContain('+46 31 555 01 00')
  expect(other.document.querySelector('main a[href^="mailto:"]')).toBeNull()
  for (const text of ['<b>Welder</b>', 'Ten years of pipes.', 'Pipe welder', 'Tarn Pumps', 'Jan 2020 to now', 'TIG']) {
    expect(other.document.querySelector('main')!.innerHTML).toContain(
      text.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    )
  }
  const stranger = await visitor(board, await board.employer())
  expect((await stranger.get(`${LIST}/${applicant.id}`)).status).toBe(404)
})

test('the form searches by words and skills, and each chip removes its filter', async () => {
  const page = await me.get(`${LIST}?search=pipes&skills=TIG%2C+MIG&location=&distance=`)
  expect(page.status).toBe(200)
  expect(page.seen).toContain('One candidate')
  expect(page.document.querySelector('#field-skills')!.getAttribute('value')).toBe('TIG, MIG')
  const chips = page.document.querySelectorAll('.chip.on')
  expect(chips.map((chip) => chip.textContent.replace(/\s*, remove$/, '').trim())).toEqual(['“pipes”', 'TIG', 'MIG'])
  const decoded = (href: string) => href.replaceAll('&amp;', '&')
  const withoutTig = await me.get(decoded(chips[1]!.getAttribute('href')!))
  expect(withoutTig.document.querySelectorAll('.chip.on')).toHaveLength(2)
  const withoutWords = await me.get(decoded(chips[0]!.getAttribute('href')!))
  expect(withoutWords.seen).not.toContain('“pipes”')
  expect((await me.get(`${LIST}?search=zeppelin`)).seen).toContain('No candidates found')
})

test('an unknown location in a radius search causes an error, and the form keeps the location', async () => {
  const page = await me.get(`${LIST}?location=Nowhereville+Qx&distance=25`)
  expect(page.status).toBe(400)
  expect(page.document.querySelector('.faults')).not.toBeNull()
  expect(page.document.querySelector('#field-location')!.getAttribute('value')).toBe('Nowhereville Qx')
})
