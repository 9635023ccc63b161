/** The admin pages that compare suspected copies, without JavaScript. */
import { beforeAll, expect, test } from 'vitest'
import { findDifferences } from '../../src/features/duplicates/duplicates.differences.ts'
import { ADMIN_KEY, useBoard } from '../support/board.ts'
import { LONG_TEXT, suspectedPair } from '../support/duplicates.ts'
import { feed, makeFeed, posting } from '../support/feeds.ts'
import { type Page, type Visitor, visitor } from '../support/pages.ts'
import { runTask } from '../support/tasks.ts'

const board = useBoard({ PAYMENTS: 'free' })
const LIST = '/desk/duplicates'
let operator: Visitor

beforeAll(async () => {
  operator = await visitor(board, { key: ADMIN_KEY })
})

const textsOf = (page: Page, selector: string) =>
  page.document.querySelectorAll(selector).map((element) => element.textContent.replace(/\s+/g, ' ').trim())
const pairsIn = ({ document }: Page) =>
  document.querySelectorAll('td a.strong').map((link) => link.getAttribute('href')!)

test('an admin compares a pair, decides on it, and changes the decision', async () => {
  expect((await operator.get(LIST)).seen).toContain('No possible copies')
  const { path } = await suspectedPair(board, { salary: { min: 50_000, max: null, currency: 'EUR', period: 'year' } })
  const overview = await operator.get('/desk')
  expect([overview.seen.includes('1 possible copy'), overview.text.includes(`href="${LIST}"`)]).toEqual([true, true])
  const list = await operator.get(LIST)
  expect([pairsIn(list), list.seen.includes('56%')]).toEqual([[path], true])

  const page = await operator.get(path)
  expect(textsOf(page, '.pair h2')).toEqual(['First job', 'Second job'])
  expect(textsOf(page, '.pair del')[0]).toMatch(/^\[only here: own0 .* own24 \]$/)
  expect(textsOf(page, '.pair ins')[0]).toMatch(/^\[only here: word70 .* word99 \]$/)
  for (const fact of ['Leipzig', '50,000 EUR', 'Voltaire careers', 'On the board']) expect(page.seen).toContain(fact)

  const decided = await operator.submit(page, path, { decision: 'different' })
  expect([decided.path, decided.seen.includes('Marked as different jobs.')]).toEqual([LIST, true])
  expect(pairsIn(decided)).toEqual([])
  await runTask(board, 'duplicates')
  expect(pairsIn(await operator.get(LIST))).toEqual([])
  const again = await operator.get(path)
  expect(again.seen).toContain('Marked as different jobs.')
  const same = await operator.submit(again, path, { decision: 'same' })
  expect(same.seen).toContain('Marked as the same job.')
  await runTask(board, 'duplicates')
  expect(textsOf(await operator.get(path), '.pair h2')).toEqual(['First job Hidden as copy', 'Second job'])
  expect((await operator.get('/desk/activity')).seen).toContain('Marked the job Cell Engineer as a copy')

  const decisions = await operator.get(`${LIST}/decisions`)
  const [row] = decisions.document.querySelectorAll('tbody tr').map(({ textContent }) => textContent)
  for (const fact of ['Cell Engineer', 'Same job']) expect(row).toContain(fact)
  const pair = pairsIn(decisions)[0]!
  const undone = await operator.submit(await operator.get(pair), pair, { decision: 'undecided' })
  expect(undone.seen).toContain('Decision undone.')
  expect((await operator.get(`${LIST}/decisions`)).seen).toContain('No decisions')
  const open = await operator.get(path)
  expect(open.seen).not.toContain('Undo decision')
  await runTask(board, 'duplicates')
  expect(pairsIn(await operator.get(LIST))).toEqual([path])
  await operator.submit(open, path, { decision: 'different' })
})

test('hidden copies have a separate list, until the other job leaves the board', async () => {
  const { ids, path } = await suspectedPair(board, { requirements: ['Care.'] })
  const folded = `${LIST}?is_folded=true`
  expect(pairsIn(await operator.get(folded))).toEqual([])
  const { id } = await makeFeed(board)
  const job = { title: 'Welder', company: 'Folded', description: LONG_TEXT }
  await feed(board, id, [posting('1', job), posting('2', job)])
  await runTask(board, 'duplicates')
  const list = await operator.get(folded)
  const [pair] = pairsIn(list)
  expect([pairsIn(list).length, list.seen.includes('Welder'), list.seen.includes('100%')]).toEqual([1, true, true])
  expect(pairsIn(await operator.get(LIST))).toEqual([path])
  expect(textsOf(await operator.get(pair!), '.pair h2')[0]).toBe('First job Hidden as copy')
  for (const kept of [pair!.split('/').at(-1), ids[1]]) await board.post(`/v1/jobs/${kept}/close`, ADMIN_KEY)
  await runTask(board, 'duplicates')
  for (const each of [LIST, folded]) expect(pairsIn(await operator.get(each))).toEqual([])
})

test('the page disables the form for read-only keys, and refuses invalid decisions and unknown pairs', async () => {
  const { ids, path } = await suspectedPair(board)
  const reader = await visitor(board, { key: await board.keyWith({ id: '', key: ADMIN_KEY }, ['admin:read']) })
  const page = await reader.get(path)
  expect([page.status, page.document.querySelector('fieldset[disabled] button')?.textContent]).toEqual([
    200,
    'Same job',
  ])
  expect((await operator.get(`${LIST}/${ids[0]}/job_00000000000000000000000000`)).status).toBe(404)
  const sent = await operator.submit(await operator.get(path), path, { decision: 'perhaps' })
  expect(sent.status).toBe(422)
})

test('a comparison marks different words, and marks none if there are too many', () => {
  const both = 'Wir bauen Züge.\nBei uns'
  expect(findDifferences(`${both} in Köln.`, `${both}  in Bonn.`)).toEqual([
    [
      { text: `${both} in `, isOnlyHere: false },
      { text: 'Köln', isOnlyHere: true },
      { text: '.', isOnlyHere: false },
    ],
    [
      { text: `${both}  in `, isOnlyHere: false },
      { text: 'Bonn', isOnlyHere: true },
      { text: '.', isOnlyHere: false },
    ],
  ])
  expect(findDifferences('東京で働く', '大阪で働く')![0].map(({ text }) => text)).toEqual(['東京', 'で働く'])
  expect(findDifferences('', LONG_TEXT)![0]).toEqual([])
  const words = (prefix: string) => Array.from({ length: 12_000 }, (_, n) => `${prefix}${n}`).join(' ')
  expect(findDifferences(words('a'), words('b'))).toBeUndefined()
})
