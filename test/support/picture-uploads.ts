/** Tests that the uploads of employers' logos and covers share. Each function defines the tests of one status. */
import { expect, test } from 'vitest'
import { PICTURE_UPLOAD_BYTES_MAX } from '../../src/features/employers/employers.routes.ts'
import { UPLOAD_LIMITS } from '../../src/http/upload-memory.ts'
import { ADMIN_KEY, type Board, expectStatus, ORIGIN } from './board.ts'
import { faultsOf } from './operation.ts'
import { jpeg, png, webp } from './pictures.ts'

export function pictureUploads(board: Board, picture: 'logo' | 'cover') {
  const path = `/v1/employers/${picture}`
  const put = (key: string, body: Uint8Array | string, type = 'image/png', headers: Record<string, string> = {}) =>
    board.call('PUT', path, { key, body, headers: { 'content-type': type, ...headers } })

  /** Uploads a picture of this width, and returns the path of its file. */
  async function uploaded(key: string, width: number): Promise<string> {
    const url: string = expectStatus(await put(key, png(width, 32)), 200).body.data[`${picture}_url`]
    expect(url).toMatch(new RegExp(`^${ORIGIN}/pictures/[0-9a-f]{32}\\.webp$`))
    return url.slice(ORIGIN.length)
  }

  return {
    put,

    servesFile(until: string, replace: (key: string) => Promise<unknown>): void {
      test(`serves the ${picture} as cacheable WebP until ${until}`, async () => {
        const { key } = await board.employer()
        const url = await uploaded(key, 64)
        const file = await board.get(url)
        expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/webp'])
        expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
        expect(file.headers.get('x-content-type-options')).toBe('nosniff')
        await replace(key)
        expect((await board.get(url)).status).toBe(404)
      })

      test(`deletes the ${picture} with the account`, async () => {
        const { key } = await board.employer()
        const url = await uploaded(key, 33)
        expectStatus(await board.delete('/v1/employers/profile', key), 204)
        expect((await board.get(url)).status).toBe(404)
      })
    },

    refusesSlowBody(): void {
      test('is returned for a slow body while another upload waits', async () => {
        board.uploadLimits = { ...UPLOAD_LIMITS, bodyBytes: PICTURE_UPLOAD_BYTES_MAX, patienceMs: 100 }
        await board.restart()
        const { key } = await board.employer()
        const never = new ReadableStream({ start: (body) => body.enqueue(Buffer.from('PNG')) })
        const slow = board.call('PUT', path, { key, headers: { 'content-type': 'image/png' }, body: never })
        const reserved = `upload_bytes{stage="body"} ${PICTURE_UPLOAD_BYTES_MAX}`
        await expect.poll(async () => (await board.get('/metrics', ADMIN_KEY)).text).toContain(reserved)
        expect((await put(key, png(8, 8))).status).toBe(200)
        const answer = await slow
        expect([answer.status, answer.body.code]).toEqual([408, 'request_timeout'])
        board.uploadLimits = undefined
        await board.restart()
      })
    },

    refusesOutdatedTag(): void {
      test('refuses an outdated entity tag', async () => {
        const { key } = await board.employer()
        expect((await put(key, png(8, 8), 'image/png', { 'if-match': '"old"' })).status).toBe(412)
      })
    },

    refusesLargeFile(): void {
      test('refuses a file of more than 2 MiB', async () => {
        const { key } = await board.employer()
        expect((await put(key, Buffer.concat([png(8, 8), Buffer.alloc(2_097_152)]))).status).toBe(413)
      })
    },

    refusesOtherTypes(): void {
      test.each([
        ['text', Buffer.from('<svg/>')],
        ['a JPEG sent as a PNG', jpeg],
      ])('refuses %s', async (_, bytes) => {
        const { key } = await board.employer()
        expect((await put(key, bytes)).status).toBe(415)
      })
    },

    refusesBadPictures(): void {
      test.each([
        ['a damaged picture', png(8, 8).fill(0, 40, 50), 'invalid_format'],
        ['a picture without pixels', webp.subarray(0, 30), 'invalid_format'],
        ['a wide picture', png(4_097, 1), 'too_large'],
      ])('refuses %s', async (_, bytes, code) => {
        const { key } = await board.employer()
        expect(faultsOf(await put(key, bytes, 'application/octet-stream'))).toEqual([`# ${code}`])
      })
    },
  }
}
