import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { UPLOAD_BYTES_MAX } from '../../src/http/upload.ts'
import { UPLOAD_LIMITS } from '../../src/http/upload-memory.ts'
import { ADMIN_KEY, ORIGIN } from '../support/board.ts'
import { doc, documents, docx, docxWithBody, lockedPdf, odt, pdf, txt, zipOf } from '../support/documents.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { sendRaw as sendBytes } from '../support/raw.ts'
import { formOf, RESUME, sendForm, sendJson, sendRaw, upload } from '../support/resumes.ts'
import { TestS3 } from '../support/s3.ts'

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const ODT = 'application/vnd.oasis.opendocument.text'
const MIB = 1_048_576

describeOperation('uploadResume', ({ board, status }) => {
  const listed = async (key: string) => (await board.get('/v1/candidates/resumes', key)).body.data

  status(201, () => {
    test('accepts the three upload formats and returns the same response for each', async () => {
      const bytes = pdf('Battery engineer')
      for (const send of [
        (key: string) => sendForm(board, key, formOf(bytes, 'My résumé.pdf')),
        (key: string) => sendJson(board, key, bytes, 'My résumé.pdf'),
        (key: string) =>
          sendRaw(board, key, bytes, {
            'content-type': 'application/pdf',
            'content-disposition': "attachment; filename=x.pdf; filename*=UTF-8''My%20r%C3%A9sum%C3%A9.pdf",
          }),
      ]) {
        const { key } = await board.candidate()
        const answer = await send(key)
        expect(answer.status).toBe(201)
        const { id } = answer.body.data
        expect(id).toMatch(/^res_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
        expect(answer.headers.get('location')).toBe(`/v1/candidates/resume/${id}`)
        expect(answer.body).toEqual({
          data: {
            id,
            filename: 'My résumé.pdf',
            content_type: 'application/pdf',
            size_bytes: bytes.length,
            sha256: createHash('sha256').update(bytes).digest('hex'),
            is_default: true,
            url: `${ORIGIN}/v1/candidates/resume/${id}`,
            created_at: board.clock.now().toISOString(),
          },
        })
        const file = await board.get(`${RESUME}/${id}`, key)
        expect(file.bytes.equals(bytes)).toBe(true)
      }
    })

    test('detects the type by content, not by the given name or type', async () => {
      const types = {
        pdf: 'application/pdf',
        docx: DOCX,
        doc: 'application/msword',
        odt: ODT,
        rtf: 'application/rtf',
        txt: 'text/plain',
      }
      const { key } = await board.candidate()
      for (const [kind, make] of Object.entries(documents)) {
        const answer = await sendRaw(board, key, make('Engineer'), {
          'content-type': kind === 'rtf' ? 'text/plain' : 'text/rtf',
          'content-disposition': 'attachment; filename="cv.doc"',
        })
        expect(answer.status, kind).toBe(201)
        expect(answer.body.data).toMatchObject({
          filename: `cv.${kind}`,
          content_type: types[kind as keyof typeof types],
        })
      }
    })

    test('accepts a raw file without a type or a name', async () => {
      const { key } = await board.candidate()
      const bytes = pdf('x')
      const head = `POST ${RESUME} HTTP/1.1\r\nhost: board\r\nconnection: close\r\nauthorization: Bearer ${key}\r\ncontent-length: ${bytes.length}\r\n\r\n`
      const answer = await sendBytes(board.address, Buffer.concat([Buffer.from(head), bytes]))
      expect(answer.status).toBe(201)
      expect(JSON.parse(answer.text).data.filename).toBe('resume.pdf')
    })

    test('accepts various notations of the filename in forms', async () => {
      const { key } = await board.candidate()
      for (const [filename, kept] of [
        ['filename="Zoë.txt"', 'Zoë.txt'],
        ["filename*=utf-8''Zo%C3%AB.txt", 'Zoë.txt'],
        ['filename="Zo%22e.txt"', 'Zo_e.txt'],
      ]) {
        const body = `--b\r\nContent-Disposition: form-data; name="file"; ${filename}\r\nContent-Type: text/plain\r\n\r\nCell chemistry\r\n--b--\r\n`
        const answer = await sendRaw(board, key, Buffer.from(body), {
          'content-type': 'multipart/form-data; charset=utf-8; boundary="b"',
        })
        expect([answer.status, answer.body.data?.filename, answer.body.data?.size_bytes]).toEqual([201, kept, 14])
      }
    })

    test('accepts text in UTF-8 with and without a byte order mark, and in UTF-16 with one', async () => {
      const { key } = await board.candidate()
      const utf16 = Buffer.from('\ufeffZoë', 'utf16le')
      for (const bytes of [txt('Zoë\r\n\tEngineer'), txt('\ufeffZoë'), utf16, Buffer.from(utf16).swap16()]) {
        const answer = await sendRaw(board, key, bytes)
        expect([answer.status, answer.body.data?.content_type]).toEqual([201, 'text/plain'])
      }
    })

    test('accepts a file of exactly 5 MiB in every upload format', async () => {
      const bytes = Buffer.alloc(5 * MIB, 'x')
      const { key } = await board.candidate()
      for (const send of [sendRaw, sendJson]) expect((await send(board, key, bytes)).status).toBe(201)
      expect((await sendForm(board, key, formOf(bytes))).status).toBe(201)
    })

    test('makes the newest resume the default', async () => {
      const candidate = await board.candidate()
      const first = await upload(board, candidate)
      const second = await upload(board, candidate)
      expect((await listed(candidate.key)).map((row: Record<string, unknown>) => [row.id, row.is_default])).toEqual([
        [second.id, true],
        [first.id, false],
      ])
    })

    test('cleans the filename', async () => {
      const { key } = await board.candidate()
      for (const [given, kept] of [
        ['..\\..\\windows\\cv.pdf', 'cv.pdf'],
        ['/etc/passwd', 'passwd.pdf'],
        ['cv\u202Efdp.exe', 'cvfdp.exe.pdf'],
        ['a\u0007b\r\nc.PDF', 'abc.pdf'],
        ['.pdf', 'resume.pdf'],
        [`${'x'.repeat(300)}.pdf`, `${'x'.repeat(251)}.pdf`],
      ] as const) {
        const answer = await sendJson(board, key, pdf('x'), given)
        expect([answer.status, answer.body.data?.filename]).toEqual([201, kept])
        await board.delete(answer.headers.get('location')!, key)
      }
    })
  })

  status(400, () => {
    test.each([
      ['a body that is not a form', 'multipart/form-data; boundary=x', 'nothing'],
      ['a form without a boundary', 'multipart/form-data', '--x\r\n\r\n--x--'],
      [
        'a truncated form',
        'multipart/form-data; boundary=x',
        '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
      ],
      [
        'a form with 100,000 fields',
        'multipart/form-data; boundary=x',
        `${'--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(100_000)}--x--`,
      ],
    ])('refuses %s', async (_what, type, body) => {
      const { key } = await board.candidate()
      const answer = await sendRaw(board, key, Buffer.from(body), { 'content-type': type })
      expect([answer.status, answer.body.code]).toEqual([400, 'bad_request'])
      expect(await listed(key)).toEqual([])
    })
  })

  status(408, () => {
    test('times out a slow body while another upload waits', async () => {
      board.uploadLimits = { ...UPLOAD_LIMITS, bodyBytes: 3 * UPLOAD_BYTES_MAX, patienceMs: 100 }
      await board.restart()
      const { key } = await board.candidate()
      const headers = { 'content-type': 'application/pdf' }
      const never = new ReadableStream({ start: (body) => body.enqueue(Buffer.from('%PDF')) })
      const slow = board.call('POST', RESUME, { key, headers, body: never })
      const reserved = `upload_bytes{stage="body"} ${UPLOAD_BYTES_MAX}`
      await expect.poll(async () => (await board.get('/metrics', ADMIN_KEY)).text).toContain(reserved)
      expect((await sendRaw(board, key, pdf('Engineer'))).status).toBe(201)
      const answer = await slow
      expect([answer.status, answer.body.code]).toEqual([408, 'request_timeout'])
      board.uploadLimits = undefined
      await board.restart()
    })
  })

  status(409, () => {
    test('limits a candidate to ten resumes, and accepts another after a deletion', async () => {
      const candidate = await board.candidate()
      for (let i = 0; i < 10; i++) await upload(board, candidate)
      const answer = await sendForm(board, candidate.key, formOf(pdf('x')))
      expect([answer.status, answer.body.code]).toEqual([409, 'limit_reached'])
      const kept = await listed(candidate.key)
      expect(kept).toHaveLength(10)
      await board.delete(`${RESUME}/${kept[3].id}`, candidate.key)
      await upload(board, candidate)
    })

    test('lets only one of three simultaneous uploads succeed if nine resumes are stored', async () => {
      const candidate = await board.candidate()
      for (let i = 0; i < 9; i++) await upload(board, candidate)
      const answers = await Promise.all([1, 2, 3].map(() => sendForm(board, candidate.key, formOf(pdf('x')))))
      expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409])
      expect(await listed(candidate.key)).toHaveLength(10)
    })
  })

  status(413, () => {
    test('refuses a file one byte larger than 5 MiB in every upload format', async () => {
      const bytes = Buffer.alloc(5 * MIB + 1, 'x')
      const { key } = await board.candidate()
      const answers = [
        await sendRaw(board, key, bytes),
        await sendJson(board, key, bytes),
        await sendForm(board, key, formOf(bytes)),
      ]
      for (const answer of answers) expect([answer.status, answer.body.code]).toEqual([413, 'payload_too_large'])
      expect(await listed(key)).toEqual([])
    })

    test('refuses a body of more than 8 MiB in every upload format', async () => {
      const { key } = await board.candidate()
      for (const type of ['application/octet-stream', 'multipart/form-data; boundary=x', 'application/json']) {
        const answer = await sendRaw(board, key, Buffer.alloc(8 * MIB + 1, ' '), { 'content-type': type })
        expect([answer.status, answer.body.code]).toEqual([413, 'payload_too_large'])
      }
    })
  })

  status(415, () => {
    test('refuses a compressed body in every upload format', async () => {
      const { key } = await board.candidate()
      for (const type of ['application/pdf', 'multipart/form-data; boundary=x', 'application/json']) {
        const headers = { 'content-type': type, 'content-encoding': 'gzip' }
        const answer = await sendRaw(board, key, gzipSync(pdf('x')), headers)
        expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type'])
        expect(answer.headers.get('accept-encoding')).toBe('identity')
      }
    })

    test.each(['application/xml', 'application/x-www-form-urlencoded', 'image/png', 'text/html', 'nonsense'])(
      'refuses the content type %s',
      async (type) => {
        const { key } = await board.candidate()
        const answer = await sendRaw(board, key, pdf('x'), { 'content-type': type })
        expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type'])
      },
    )

    test.each<[string, Buffer]>([
      ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
      ['a program', Buffer.from('7f454c4602010100', 'hex')],
      ['a plain archive', zipOf({ 'cv.txt': 'x' })],
      ['a spreadsheet', zipOf({ '[Content_Types].xml': 'x', 'xl/workbook.xml': 'x' })],
      ['a truncated archive', docx('x').subarray(0, 60)],
      ['a document with macros', docxWithBody('', { 'word/vbaProject.bin': 'x' })],
      ['an OLE container without a Word document', doc('x', { streamName: 'Workbook' })],
      ['text with control characters', txt('a\u0001b')],
      ['text with a NUL', txt('a\u0000b')],
      ['text that is not UTF-8', Buffer.from('Zo\xeb', 'latin1')],
    ])('refuses %s', async (_what, bytes) => {
      const { key } = await board.candidate()
      const answers = [
        await sendRaw(board, key, bytes),
        await sendJson(board, key, bytes),
        await sendForm(board, key, formOf(bytes)),
      ]
      for (const answer of answers) expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type'])
      expect(await listed(key)).toEqual([])
    })

    test('accepts a recognized file without readable text: a PDF with a password', async () => {
      const { key } = await board.candidate()
      expect((await sendRaw(board, key, lockedPdf())).status).toBe(201)
    })
  })

  status(422, () => {
    const refuses = (title: string, send: (key: string) => ReturnType<typeof sendForm>, faults: string[]) =>
      test(`refuses ${title}`, async () => {
        const { key } = await board.candidate()
        const answer = await send(key)
        expect([answer.status, faultsOf(answer)]).toEqual([422, faults])
        expect(await listed(key)).toEqual([])
      })
    const empty = Buffer.alloc(0)
    const json = (body: unknown) => (key: string) => board.post(RESUME, key, body)

    refuses('an empty file in a form', (key) => sendForm(board, key, formOf(empty)), ['#/file empty_file'])
    refuses('an empty file in JSON', (key) => sendJson(board, key, empty), ['#/content_base64 empty_file'])
    refuses('an empty file', (key) => sendRaw(board, key, empty), ['# empty_file'])
    refuses('a missing body', (key) => board.call('POST', RESUME, { key }), ['# empty_file'])
    refuses('an empty JSON body', json({}), ['#/filename required', '#/content_base64 required'])
    refuses('base64 without its padding', json({ filename: 'a', content_base64: 'abc' }), [
      '#/content_base64 invalid_format',
    ])
    refuses('base64url', json({ filename: 'a', content_base64: 'ab_-' }), ['#/content_base64 invalid_format'])
    refuses('base64 of the wrong type', json({ filename: 'a', content_base64: [1] }), ['#/content_base64 invalid_type'])
    refuses('a JSON body, and reports all of its errors', json({ filename: '', content_base64: '=', url: 'x' }), [
      '#/url unknown_field',
      '#/filename too_short',
      '#/content_base64 invalid_format',
    ])
    refuses(
      'a form, and reports all of its errors',
      (key) => {
        const form = formOf(pdf('x'))
        form.append('file', 'text')
        for (const _ of [1, 2]) form.append('__proto__', 'a')
        return sendForm(board, key, form)
      },
      ['#/__proto__ unknown_field', '#/file too_many'],
    )
    refuses('a form without a file', (key) => sendForm(board, key, new FormData()), ['#/file required'])
    refuses('a form with a misnamed file', (key) => sendForm(board, key, formOf(pdf('x'), 'cv.pdf', 'resume')), [
      '#/file required',
      '#/resume unknown_field',
    ])
    refuses(
      'two files',
      (key) => {
        const form = formOf(pdf('x'))
        form.append('file', new Blob(['y']), 'b.txt')
        return sendForm(board, key, form)
      },
      ['#/file too_many'],
    )
    refuses(
      'a text field in place of the file',
      (key) => {
        const form = new FormData()
        form.append('file', 'text')
        return sendForm(board, key, form)
      },
      ['#/file invalid_type'],
    )
  })

  status(503, () => {
    test('returns 503 during a file store outage, and leaves no partial upload behind', async () => {
      const s3 = await TestS3.start()
      try {
        await board.restart({ FILES_URL: s3.url() })
        const { key } = await board.candidate()
        s3.mode = 'fail'
        const answer = await sendForm(board, key, formOf(pdf('x')))
        expect([answer.status, answer.body.code]).toEqual([503, 'unavailable'])
        expect(answer.headers.get('retry-after')).toBe('5')
        expect(answer.text).not.toContain('InternalError')
        expect(await listed(key)).toEqual([])
        s3.mode = 'pass'
        expect((await sendForm(board, key, formOf(pdf('x')))).status).toBe(201)
      } finally {
        await s3.stop()
      }
      const { key } = await board.candidate()
      expect((await sendForm(board, key, formOf(pdf('x')))).status).toBe(503)
      expect(await listed(key)).toEqual([])
      await board.restart()
    })
  })

  describe('an interrupted upload', () => {
    test.each(['application/octet-stream', 'multipart/form-data; boundary=x', 'application/json'])(
      'leaves nothing behind when sent as %s',
      async (type) => {
        const { key } = await board.candidate()
        const head = `POST ${RESUME} HTTP/1.1\r\nhost: board\r\nauthorization: Bearer ${key}\r\ncontent-type: ${type}\r\ncontent-length: 100000\r\n\r\n`
        await new Promise<void>((resolve) => {
          const socket = connect(Number(new URL(board.address).port), '127.0.0.1', () => {
            socket.write(head + 'x'.repeat(50_000), () => socket.destroy())
          })
          socket.on('close', () => resolve())
        })
        // The board still serves requests.
        expect(await listed(key)).toEqual([])
      },
    )
  })

  test('createJob, unlike uploadResume, accepts only JSON', async () => {
    const { key } = await board.employer()
    for (const type of ['application/pdf', 'text/plain', 'multipart/form-data; boundary=x']) {
      const answer = await board.call('POST', '/v1/jobs', { key, body: '{}', headers: { 'content-type': type } })
      expect(answer.status).toBe(415)
    }
  })

  test('uploadResume has a separate limit for each candidate', async () => {
    const [full, other] = [await board.candidate(), await board.candidate()]
    for (let i = 0; i < 10; i++) await upload(board, full, odt('x'))
    await upload(board, other)
    expect(await listed(other.key)).toHaveLength(1)
  })
})
