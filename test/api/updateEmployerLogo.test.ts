import { expect, test } from 'vitest'
import { PICTURE_UPLOAD_BYTES_MAX } from '../../src/features/employers/employers.routes.ts'
import { UPLOAD_LIMITS } from '../../src/http/upload-memory.ts'
import { ADMIN_KEY, expectStatus, ORIGIN } from '../support/board.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { jpeg, png, webp } from '../support/pictures.ts'

describeOperation('updateEmployerLogo', ({ board, status }) => {
  const path = '/v1/employers/logo'
  const put = (key: string, body: Uint8Array | string, type: string, headers: Record<string, string> = {}) =>
    board.call('PUT', path, { key, body, headers: { 'content-type': type, ...headers } })

  status(200, () => {
    test('serves the logo as cacheable WebP until the profile gets another logo URL', async () => {
      const { key } = await board.employer()
      const { logo_url } = expectStatus(await put(key, png(64, 32), 'image/png'), 200).body.data
      expect(logo_url).toMatch(new RegExp(`^${ORIGIN}/pictures/[0-9a-f]{32}\\.webp$`))
      const file = await board.get(logo_url.slice(ORIGIN.length))
      expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/webp'])
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(file.headers.get('x-content-type-options')).toBe('nosniff')
      await board.put('/v1/employers/profile', key, { logo_url: 'https://voltaire.example/logo.png' })
      expect((await board.get(logo_url.slice(ORIGIN.length))).status).toBe(404)
    })

    test('deletes the logo with the account', async () => {
      const { key } = await board.employer()
      const { logo_url } = expectStatus(await put(key, png(33, 32), 'image/png'), 200).body.data
      expectStatus(await board.delete('/v1/employers/profile', key), 204)
      expect((await board.get(logo_url.slice(ORIGIN.length))).status).toBe(404)
    })
  })

  status(408, () => {
    test('is returned for a slow body while another upload waits', async () => {
      board.uploadLimits = { ...UPLOAD_LIMITS, bodyBytes: PICTURE_UPLOAD_BYTES_MAX, patienceMs: 100 }
      await board.restart()
      const { key } = await board.employer()
      const never = new ReadableStream({ start: (body) => body.enqueue(Buffer.from('PNG')) })
      const slow = board.call('PUT', path, { key, headers: { 'content-type': 'image/png' }, body: never })
      const reserved = `upload_bytes{stage="body"} ${PICTURE_UPLOAD_BYTES_MAX}`
      await expect.poll(async () => (await board.get('/metrics', ADMIN_KEY)).text).toContain(reserved)
      expect((await put(key, png(8, 8), 'image/png')).status).toBe(200)
      const answer = await slow
      expect([answer.status, answer.body.code]).toEqual([408, 'request_timeout'])
      board.uploadLimits = undefined
      await board.restart()
    })
  })

  status(412, () => {
    test('refuses an outdated entity tag', async () => {
      const { key } = await board.employer()
      expect((await put(key, png(8, 8), 'image/png', { 'if-match': '"old"' })).status).toBe(412)
    })
  })

  status(413, () => {
    test('refuses a file of more than 2 MiB', async () => {
      const { key } = await board.employer()
      expect((await put(key, Buffer.concat([png(8, 8), Buffer.alloc(2_097_152)]), 'image/png')).status).toBe(413)
    })
  })

  status(415, () => {
    test.each([
      ['text', Buffer.from('<svg/>'), 'image/png'],
      ['a JPEG sent as a PNG', jpeg, 'image/png'],
    ])('refuses %s', async (_, bytes, type) => {
      const { key } = await board.employer()
      expect((await put(key, bytes, type)).status).toBe(415)
    })
  })

  status(422, () => {
    test.each([
      ['a damaged picture', png(8, 8).fill(0, 40, 50), 'invalid_format'],
      ['a picture without pixels', webp.subarray(0, 30), 'invalid_format'],
      ['a wide picture', png(4_097, 1), 'too_large'],
    ])('refuses %s', async (_, bytes, code) => {
      const { key } = await board.employer()
      expect(faultsOf(await put(key, bytes, 'application/octet-stream'))).toEqual([`# ${code}`])
    })
  })
})
