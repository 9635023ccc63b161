/** If a form exceeds the size limit, the response keeps the input or explains the limit. */
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'
import { pdf } from '../support/documents.ts'
import { faultOf, visitor } from '../support/pages.ts'

const board = useBoard()
const MIB = 1_048_576
const large = (bytes: number) => new File([new Uint8Array(bytes)], 'cv.pdf', { type: 'application/pdf' })
const letter = 'I build batteries.\nAnd more.'

async function applying() {
  const custom_questions = [{ id: 'why', label: 'Why?', type: 'text', required: true }]
  const { id } = await board.activeJob(await board.employer(), { custom_questions })
  const me = await visitor(board, await board.candidate())
  return { me, action: `/jobs/${id}/apply`, form: await me.get(`/jobs/${id}/apply`) }
}

test.each([6 * MIB, 9 * MIB, 40 * MIB])('an application with a file of %i bytes keeps its letter', async (bytes) => {
  const { me, action, form } = await applying()
  const fields = { cover_letter: letter, 'custom_questions[why]': 'Because', _file: large(bytes) }
  const again = await me.submit(form, action, fields)
  expect([413, 422]).toContain(again.status)
  expect(faultOf(again, '_file')).toMatch(/too large|larger than/)
  const typed = again.document.querySelector('[name="cover_letter"]')!.textContent
  expect(typed.trim().replaceAll('\r\n', '\n')).toBe(letter)
  expect(again.document.querySelector('[name="custom_questions[why]"]')!.getAttribute('value')).toBe('Because')
  const file = new File([new Uint8Array(pdf('Engineer'))], 'cv.pdf', { type: 'application/pdf' })
  expect((await me.submit(again, action, { _file: file })).path).toMatch(/^\/me\/applications\//)
})

test('a resume that is too large is reported next to its field', async () => {
  const me = await visitor(board, await board.candidate())
  const again = await me.submit(await me.get('/me/resumes'), '/me/resumes', { file: large(9 * MIB) })
  expect([again.status, faultOf(again, 'file')]).toEqual([413, expect.stringContaining('too large')])
})

test('text beyond the limit gets an explanation and a link back', async () => {
  const me = await visitor(board, await board.employer())
  await me.get('/employer/jobs/new')
  const page = await me.send('POST', '/employer/jobs/new', {
    body: new URLSearchParams({ _csrf: await me.csrfToken(), description: 'x'.repeat(MIB) }),
    headers: { referer: `${board.address}/employer/jobs/new` },
  })
  expect([page.status, page.seen.includes('1 MB of text')]).toEqual([413, true])
  expect(page.document.querySelector('main a')!.getAttribute('href')).toBe('/employer/jobs/new')
})

test('an endless form is aborted', async () => {
  const { me, action } = await applying()
  const piece = new Uint8Array(MIB)
  const head = '--b\r\ncontent-disposition: form-data; name="_file"; filename="cv.pdf"\r\n\r\n'
  let sent = 0
  const body = new ReadableStream({
    async pull(controller) {
      // Without this pause, fetch reads pieces endlessly and does not notice that the connection has ended.
      await setImmediate()
      controller.enqueue(sent++ === 0 ? new TextEncoder().encode(head) : piece)
    },
  })
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  const answer = await me.send('POST', action, { body, headers, duplex: 'half' } as RequestInit).catch(() => undefined)
  // The response arrives, or the connection ends first.
  expect(answer?.status ?? 413).toBe(413)
  expect(sent).toBeLessThan(256)
})
