import { afterEach, describe, expect, test } from 'vitest'
import { UPLOAD_LIMITS } from '../../src/http/upload-memory.ts'
import { readPicture } from '../../src/lib/pictures.ts'
import { ADMIN_KEY, expectStatus, ORIGIN } from '../support/board.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { jpeg, losslessWebp, png, webp } from '../support/pictures.ts'

describeOperation('updateBoardLogo', ({ board, status }) => {
  const path = '/v1/admin/board/logo'
  const put = (body: Uint8Array | string, type: string, headers: Record<string, string> = {}) =>
    board.call('PUT', path, { key: ADMIN_KEY, body, headers: { 'content-type': type, ...headers } })
  const logoUrl = async () => (await board.get('/v1/board')).body.data.logo_url as string | null
  afterEach(() => board.delete(path, ADMIN_KEY))

  status(200, () => {
    test.each([
      ['image/png', png(64, 32)],
      ['image/jpeg', jpeg],
      ['image/webp', webp],
      ['image/webp', losslessWebp],
      ['application/octet-stream', png(4_096, 1)],
    ])('re-encodes a picture sent as %s as a PNG that clients may cache for a year', async (type, bytes) => {
      const hidden = Buffer.concat([bytes, Buffer.from('Leeds, 53.8 N')])
      const { logo_url } = expectStatus(await put(type === 'image/webp' ? hidden : bytes, type), 200).body.data
      expect(logo_url).toMatch(new RegExp(`^${ORIGIN}/board/logo/[0-9a-f]{16}\\.png$`))
      const file = await board.get(logo_url.slice(ORIGIN.length))
      const size = readPicture(file.bytes)?.size
      expect([file.status, Math.max(size!.width, size!.height) <= 512]).toEqual([200, true])
      expect([file.bytes.equals(bytes), file.bytes.includes('Leeds')]).toEqual([false, false])
      expect(file.headers.get('content-type')).toBe('image/png')
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(file.headers.get('x-content-type-options')).toBe('nosniff')
      expect(file.headers.get('content-security-policy')).toContain("default-src 'none'")
    })

    test('gives a new logo a new URL, and removes the previous URL', async () => {
      const first = expectStatus(await put(png(8, 8), 'image/png'), 200).body.data.logo_url
      const second = expectStatus(await put(png(9, 9), 'image/png'), 200).body.data.logo_url
      expect(second).not.toBe(first)
      expect((await board.get(first.slice(ORIGIN.length))).status).toBe(404)
    })

    test('also accepts a form, and base64 in JSON', async () => {
      const form = new FormData()
      form.append('file', new File([new Uint8Array(png(8, 8))], 'logo.png'))
      const request = new Request('http://x', { method: 'POST', body: form })
      const body = new Uint8Array(await request.arrayBuffer())
      expectStatus(await put(body, request.headers.get('content-type')!), 200)
      const json = { filename: 'logo.jpg', content_base64: jpeg.toString('base64') }
      expectStatus(await put(JSON.stringify(json), 'application/json'), 200)
      expect(await logoUrl()).toMatch(/\.png$/)
    })
  })

  status(408, () => {
    test('is returned for a slow body while another upload waits', async () => {
      board.uploadLimits = { ...UPLOAD_LIMITS, bodyBytes: 2_097_152, patienceMs: 100 }
      await board.restart()
      const headers = { 'content-type': 'image/png' }
      const never = new ReadableStream({ start: (body) => body.enqueue(Buffer.from('PNG')) })
      const slow = board.call('PUT', path, { key: ADMIN_KEY, headers, body: never })
      const reserved = 'upload_bytes{stage="body"} 2097152'
      await expect.poll(async () => (await board.get('/metrics', ADMIN_KEY)).text).toContain(reserved)
      expect((await put(png(8, 8), 'image/png')).status).toBe(200)
      const answer = await slow
      expect([answer.status, answer.body.code]).toEqual([408, 'request_timeout'])
      board.uploadLimits = undefined
      await board.restart()
    })
  })

  status(412, () => {
    test('refuses a change with an outdated entity tag', async () => {
      const answer = await put(png(8, 8), 'image/png', { 'if-match': '"other"' })
      expect([answer.status, await logoUrl()]).toEqual([412, null])
    })
  })

  status(413, () => {
    test('refuses a file of more than 1 MiB', async () => {
      const large = (bytes: number) =>
        Buffer.concat([png(8, 8).subarray(0, -12), Buffer.alloc(bytes), png(8, 8).subarray(-12)])
      const most = 1_048_576 - png(8, 8).length
      expect((await put(large(most), 'image/png')).status).toBe(200)
      await board.delete(path, ADMIN_KEY)
      for (const bytes of [most + 1, 3 * 1_048_576]) {
        const answer = await put(large(bytes), 'image/png')
        expect([answer.status, answer.body.code]).toEqual([413, 'payload_too_large'])
      }
      expect(await logoUrl()).toBeNull()
    })
  })

  status(415, () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
    test.each<[string, string, Uint8Array | string]>([
      ['an SVG', 'image/svg+xml', svg],
      ['an SVG that claims to be a PNG', 'image/png', svg],
      ['HTML that claims to be a JPEG', 'image/jpeg', '<script>alert(1)</script>'],
      ['a GIF', 'application/octet-stream', Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64')],
      ['a JPEG that claims to be a PNG', 'image/png', jpeg],
      ['a PNG that claims to be a WebP', 'image/webp', png(8, 8)],
      ['text', 'text/plain', 'logo'],
    ])('refuses %s', async (_what, type, bytes) => {
      const answer = await put(bytes, type)
      expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type'])
      expect(await logoUrl()).toBeNull()
    })
  })

  status(422, () => {
    const cut = (bytes: Buffer, length: number) => bytes.subarray(0, length)
    const changed = (bytes: Buffer, at: number, ...to: number[]) => {
      const copy = Buffer.from(bytes)
      for (const [n, byte] of to.entries()) copy[at + n] = byte
      return copy
    }
    describe('refuses a picture that', () => {
      test.each<[string, Buffer, string]>([
        ['has no size (PNG)', changed(png(8, 8), 16, 0, 0, 0, 0), 'invalid_format'],
        ['lacks its header (PNG)', changed(png(8, 8), 12, 0x58), 'invalid_format'],
        ['is cut off (PNG)', cut(png(8, 8), 40), 'invalid_format'],
        ['is only a signature (PNG)', cut(png(8, 8), 8), 'invalid_format'],
        ['is cut off (JPEG)', cut(jpeg, 30), 'invalid_format'],
        ['has an impossible segment (JPEG)', changed(jpeg, 4, 0, 0), 'invalid_format'],
        ['is cut off (WebP)', cut(webp, 25), 'invalid_format'],
        ['is of an unknown kind (WebP)', changed(webp, 12, 0x58), 'invalid_format'],
        ['is too wide', png(4_097, 1), 'too_large'],
        ['is too tall', png(1, 4_097), 'too_large'],
        ['claims to be four billion pixels wide', changed(png(8, 8), 16, 0xff, 0xff, 0xff, 0xff), 'too_large'],
      ])('%s', async (_what, bytes, code) => {
        const answer = await put(bytes, 'application/octet-stream')
        expect([answer.status, faultsOf(answer)]).toEqual([422, [`# ${code}`]])
        expect(await logoUrl()).toBeNull()
      })
    })

    test('refuses an empty file, and JSON without a file', async () => {
      expect(faultsOf(await put('', 'image/png'))).toEqual(['# empty_file'])
      const json = JSON.stringify({ filename: 'logo.png' })
      expect(faultsOf(await put(json, 'application/json'))).toEqual(['#/content_base64 required'])
    })
  })
})
