/** Found by attack: bodies that cost far more than their size suggests blocked the whole service for seconds. */
import { expect, test } from 'vitest'
import { findUnstorableText } from '../../src/lib/bad-text.ts'
import { useBoard } from '../support/board.ts'
import { RESUME } from '../support/resumes.ts'

const board = useBoard()

test('checking all texts of an upload takes about as long as parsing them', () => {
  const json = `{"content_base64":[${'"",'.repeat(2_500_000)}""]}`
  const timed = (act: () => unknown) => {
    const started = performance.now()
    act()
    return performance.now() - started
  }
  let value: unknown
  const readingMs = timed(() => {
    value = JSON.parse(json)
  })
  // Before the fix, the check took 30 times as long as parsing and created half a gigabyte of pointers. The check now
  // takes about as long as parsing.
  expect(timed(() => expect(findUnstorableText(value)).toEqual([]))).toBeLessThan(8 * readingMs)
})

test.each([
  'multipart/form-data; note="; boundary=none"; boundary=xx',
  'multipart/form-data; boundary="x\\x"',
  'multipart/form-data; boundary=xx; boundary=none',
])('the parts of a form are counted by the boundary that the parser uses: %s', async (type) => {
  const { key } = await board.candidate()
  const part = (index: number) => `--xx\r\ncontent-disposition: form-data; name="f${index}"\r\n\r\nabc\r\n`
  const body = Buffer.from(`${Array.from({ length: 30 }, (_, index) => part(index)).join('')}--xx--\r\n`)
  const answer = await board.call('POST', RESUME, { key, headers: { 'content-type': type }, body })
  expect([answer.status, answer.body.code]).toEqual([400, 'bad_request'])
})
