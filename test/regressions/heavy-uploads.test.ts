/** Found in an attack test: bodies that cost far more than their size suggests blocked the service for seconds. */
import { getHeapStatistics } from 'node:v8'
import { expect, test } from 'vitest'
import { findUnstorableText } from '../../src/lib/bad-text.ts'
import { useBoard } from '../support/board.ts'
import { RESUME } from '../support/resumes.ts'

const board = useBoard()

/** Returns the number of bytes that this thread has allocated since its start, including freed ones. */
const allocatedBytes = () => getHeapStatistics().total_allocated_bytes

test('checking all texts of an upload allocates less than 80 bytes per text', () => {
  const COUNT = 250_000
  const value = { content_base64: new Array(COUNT).fill('') }
  const before = allocatedBytes()
  expect(findUnstorableText(value)).toEqual([])
  // The check usually allocates 40 bytes per text. With a pointer for every text, it allocated 670 bytes per text, and
  // took 30 times as long as parsing.
  expect((allocatedBytes() - before) / COUNT).toBeLessThan(80)
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
