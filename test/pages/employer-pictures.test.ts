/** Employers upload and remove their logo and cover on the profile page. */
import { expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'
import { faultOf, visitor } from '../support/pages.ts'
import { png } from '../support/pictures.ts'

const board = useBoard()
const HOME = '/employer/profile'

test('an uploaded logo appears on the public page until it is removed', async () => {
  const owner = await board.employer()
  const employer = await visitor(board, owner)
  const file = new File([new Uint8Array(png(40, 20))], 'logo.png')
  const saved = await employer.submit(await employer.get(HOME), `${HOME}/logo`, { file })
  expect([saved.status, saved.path, saved.seen.includes('Logo uploaded.')]).toEqual([200, HOME, true])
  const picture = async () => (await employer.get(`/companies/${owner.id}`)).document.querySelector('main .logo img')
  expect((await picture())!.getAttribute('src')).toMatch(/^\/pictures\/[0-9a-f]{32}\.webp$/)
  const removed = await employer.submit(saved, `${HOME}/logo/remove`)
  expect(removed.seen).toContain('Logo removed.')
  expect(await picture()).toBeNull()
})

test('pages never load a logo from another host', async () => {
  const { id } = await board.employer({ logo_url: 'https://elsewhere.example/logo.png' })
  const page = await (await visitor(board, await board.employer())).get(`/companies/${id}`)
  expect(page.document.querySelector('main .logo img')).toBeNull()
})

test('a damaged logo causes an error beside the logo field, and the form still shows the profile', async () => {
  const employer = await visitor(board, await board.employer({ name: 'Kept' }))
  const file = new File([new Uint8Array(png(8, 8).subarray(0, 30))], 'logo.png')
  const again = await employer.submit(await employer.get(HOME), `${HOME}/logo`, { file })
  expect(again.status).toBe(422)
  expect(faultOf(again, 'file')).toContain('damaged')
  expect(again.document.querySelector('[name="name"]')!.getAttribute('value')).toBe('Kept')
})

test('an uploaded cover appears on the public page until it is removed', async () => {
  const owner = await board.employer()
  const employer = await visitor(board, owner)
  const cover = new File([new Uint8Array(png(160, 40))], 'cover.png')
  const saved = await employer.submit(await employer.get(HOME), `${HOME}/cover`, { cover })
  expect([saved.status, saved.path, saved.seen.includes('Cover uploaded.')]).toEqual([200, HOME, true])
  const picture = async () => (await employer.get(`/companies/${owner.id}`)).document.querySelector('.cover img')
  expect((await picture())!.getAttribute('src')).toMatch(/^\/pictures\/[0-9a-f]{32}\.webp$/)
  const removed = await employer.submit(saved, `${HOME}/cover/remove`)
  expect(removed.seen).toContain('Cover removed.')
  expect(await picture()).toBeNull()
})

test('a damaged cover causes an error beside the cover field', async () => {
  const employer = await visitor(board, await board.employer())
  const cover = new File([new Uint8Array(png(8, 8).subarray(0, 30))], 'cover.png')
  const again = await employer.submit(await employer.get(HOME), `${HOME}/cover`, { cover })
  expect([again.status, faultOf(again, 'file')]).toEqual([422, undefined])
  expect(faultOf(again, 'cover')).toContain('damaged')
})
