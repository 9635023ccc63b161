import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { insertApplication } from '../support/applications.ts'
import { ADMIN_KEY } from '../support/board.ts'
import { pdf, txt } from '../support/documents.ts'
import { describeOperation } from '../support/operation.ts'
import { RESUME, upload } from '../support/resumes.ts'
import { TestS3 } from '../support/s3.ts'

const UNKNOWN = `${RESUME}/res_00000000000000000000000000`

describeOperation('downloadResume', ({ board, status }) => {
  const bytes = pdf('Battery engineer')
  /** Uploads `bytes` as a resume. `get` downloads the resume with the given headers. */
  const stored = async () => {
    const candidate = await board.candidate()
    const { id } = await upload(board, candidate, bytes, 'cv.pdf')
    const path = `${RESUME}/${id}`
    const get = (headers: Record<string, string> = {}) => board.call('GET', path, { key: candidate.key, headers })
    return { candidate, id, path, get }
  }

  status(200, () => {
    test('sends the bytes with headers that prevent their execution', async () => {
      const candidate = await board.candidate()
      const { id } = await upload(board, candidate, bytes, 'Zoë "the" 100% résumé.pdf')
      const answer = await board.get(`${RESUME}/${id}`, candidate.key)
      expect(answer.status).toBe(200)
      expect(answer.bytes.equals(bytes)).toBe(true)
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'application/pdf',
        'content-length': String(bytes.length),
        'content-disposition': `attachment; filename="Zo? _the_ 100% r?sum?.pdf"; filename*=UTF-8''Zo%C3%AB%20_the_%20100%25%20r%C3%A9sum%C3%A9.pdf`,
        'content-security-policy': "sandbox; default-src 'none'",
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, no-cache',
        'accept-ranges': 'bytes',
        etag: `"${createHash('sha256').update(bytes).digest('hex')}"`,
      })
    })

    test('responds to HEAD with the same headers and no body', async () => {
      const { candidate, path, get } = await stored()
      const whole = await get()
      const head = await board.call('HEAD', path, { key: candidate.key })
      expect([head.status, head.bytes.length]).toEqual([200, 0])
      for (const name of ['content-length', 'content-type', 'content-disposition', 'etag']) {
        expect(head.headers.get(name)).toBe(whole.headers.get(name))
      }
    })

    test('serves admins, and employers who received the resume with an application', async () => {
      const { candidate, id, path } = await stored()
      const employer = await board.employer()
      await insertApplication(board, candidate, employer, id)
      for (const key of [ADMIN_KEY, employer.key]) {
        const answer = await board.get(path, key)
        expect([answer.status, answer.bytes.equals(bytes)]).toEqual([200, true])
      }
    })

    test('still serves the employer after the candidate deletes the resume', async () => {
      const { candidate, id, path } = await stored()
      const employer = await board.employer()
      await insertApplication(board, candidate, employer, id)
      expect((await board.delete(path, candidate.key)).status).toBe(204)
      expect((await board.get(path, employer.key)).status).toBe(200)
      expect((await board.get(path, ADMIN_KEY)).status).toBe(200)
      expect((await board.get(path, candidate.key)).status).toBe(404)
    })

    test.each([
      ['bytes=0-1,5-6', 'two ranges'],
      ['bytes=5-2', 'a reversed range'],
      ['lines=1-2', 'another unit'],
      ['bytes=', 'an empty range'],
    ])('sends the complete file for %s: %s', async (range) => {
      const { get } = await stored()
      const answer = await get({ range })
      expect([answer.status, answer.bytes.length]).toEqual([200, bytes.length])
    })

    test('sends the complete file if If-Range or If-None-Match does not match', async () => {
      const { get } = await stored()
      const etag = (await get()).headers.get('etag')!
      for (const headers of [
        { range: 'bytes=0-1', 'if-range': '"other"' },
        { range: 'bytes=0-1', 'if-range': `W/${etag}` },
        { range: 'bytes=0-1', 'if-range': 'Mon, 02 Mar 2026 09:00:00 GMT' },
        { 'if-none-match': '"other", W/"another"' },
      ]) {
        expect((await get(headers)).status).toBe(200)
      }
    })

    test.each(['bytes=0-3', 'bytes=999999-'])('ignores the range %s for HEAD', async (range) => {
      const { candidate, path } = await stored()
      const answer = await board.call('HEAD', path, { key: candidate.key, headers: { range } })
      expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(bytes.length)])
      expect(answer.headers.has('content-range')).toBe(false)
    })
  })

  status(206, () => {
    test.each([
      ['bytes=0-3', 0, 4],
      ['bytes=5-', 5, undefined],
      ['bytes=-7', -7, undefined],
      ['bytes=3-999999', 3, undefined],
      ['bytes=0-0', 0, 1],
    ])('sends %s', async (range, from, to) => {
      const { get } = await stored()
      const answer = await get({ range })
      const expected = bytes.subarray(from, to)
      expect(answer.status).toBe(206)
      expect(answer.bytes.equals(expected)).toBe(true)
      const first = from < 0 ? bytes.length + from : from
      const last = first + expected.length - 1
      expect(answer.headers.get('content-range')).toBe(`bytes ${first}-${last}/${bytes.length}`)
      expect(answer.headers.get('content-length')).toBe(String(expected.length))
    })

    test('sends the range if If-Range contains the current tag', async () => {
      const { get } = await stored()
      const etag = (await get()).headers.get('etag')!
      expect((await get({ range: 'bytes=1-2', 'if-range': etag })).status).toBe(206)
    })
  })

  status(304, () => {
    test('returns 304 to clients that already have the file', async () => {
      const { get } = await stored()
      const etag = (await get()).headers.get('etag')!
      for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const answer = await get({ 'if-none-match': known, range: 'bytes=0-1' })
        expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([304, '', etag])
      }
    })
  })

  status(404, () => {
    test.each(['candidate', 'employer'] as const)('hides the file from another %s', async (kind) => {
      const { path } = await stored()
      const { key } = await board.account(kind)
      const answer = await board.get(path, key)
      const unknown = await board.get(UNKNOWN, key)
      expect([answer.status, answer.body.detail]).toEqual([404, unknown.body.detail])
    })

    test('hides the file from an employer who received another resume of the candidate', async () => {
      const { candidate, path } = await stored()
      const employer = await board.employer()
      const other = await upload(board, candidate, txt('other'))
      await insertApplication(board, candidate, employer, other.id)
      expect((await board.get(path, employer.key)).status).toBe(404)
      expect((await board.get(`${RESUME}/${other.id}`, employer.key)).status).toBe(200)
    })
  })

  status(416, () => {
    test.each(['bytes=100000-', 'bytes=-0', 'bytes=99999999999999999999-'])('refuses %s', async (range) => {
      const { get } = await stored()
      const answer = await get({ range })
      expect([answer.status, answer.body.code]).toEqual([416, 'range_not_satisfiable'])
      expect(answer.headers.get('content-range')).toBe(`bytes */${bytes.length}`)
    })
  })

  status(503, () => {
    test('returns 503 during a file store outage, and serves the file once the store recovers', async () => {
      const s3 = await TestS3.start()
      try {
        await board.restart({ FILES_URL: s3.url() })
        const { get } = await stored()
        s3.mode = 'fail'
        const answer = await get()
        expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([503, 'unavailable', '5'])
        s3.mode = 'pass'
        expect((await get()).bytes.equals(bytes)).toBe(true)
        expect((await get({ range: 'bytes=1-3' })).bytes.equals(bytes.subarray(1, 4))).toBe(true)
        await board.restart()
        expect((await get()).status).toBe(503)
      } finally {
        await s3.stop()
      }
    })
  })

  test('survives a client that disconnects during the download', async () => {
    const { path, candidate, get } = await stored()
    await new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(board.address).port), '127.0.0.1', () => {
        socket.write(`GET ${path} HTTP/1.1\r\nhost: board\r\nauthorization: Bearer ${candidate.key}\r\n\r\n`, () =>
          socket.destroy(),
        )
      })
      socket.on('close', () => resolve())
    })
    expect((await get()).status).toBe(200)
  })
})
