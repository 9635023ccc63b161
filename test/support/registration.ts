/** Shared tests of candidate and employer registration. */
import { expect, test } from 'vitest'
import { ADMIN_KEY, type Board } from './board.ts'
import { faultsOf } from './operation.ts'

export interface Registration {
  path: string
  /** Returns a valid body with this email address. */
  bodyWith: (email: string) => Record<string, unknown>
}

/** Registers tests in the 201 block. */
export function takesEmails(board: Board, { path, bodyWith }: Registration): void {
  const local64 = 'x'.repeat(64)
  const domain = `${`${'d'.repeat(46)}.`.repeat(4)}e`
  test.each([
    "o'brien+jobs@mail.example",
    'ünïcode.Ω@mail.example',
    '用户@mail.example',
    "!#$%&*+/=?^_`{|}~-'@mail.example",
    'a@b.co',
    '1@2.3',
    'a.b.c@sub.sub.mail.example',
    'x@xn--bcher-kva.example',
    `${local64}@${domain}`,
  ])('accepts %s as an email address', async (email) => {
    expect(email.length).toBeLessThanOrEqual(254)
    const answer = await board.post(path, undefined, bodyWith(email))
    expect(answer.status).toBe(201)
    expect((await board.get('/v1/me', answer.body.data.api_key)).body.data.email).toBe(email)
  })

  test('trims the email address', async () => {
    const answer = await board.post(path, undefined, bodyWith('  trimmed@mail.example\t'))
    expect((await board.get('/v1/me', answer.body.data.api_key)).body.data.email).toBe('trimmed@mail.example')
  })
}

/** Registers tests in the 422 block. */
export function refusesEmails(board: Board, { path, bodyWith }: Registration): void {
  test.each([
    ['no domain', 'somebody', 'invalid_format'],
    ['no name', '@mail.example', 'invalid_format'],
    ['a domain without a dot', 'a@localhost', 'invalid_format'],
    ['two at signs', 'a@b@mail.example', 'invalid_format'],
    ['a space inside', 'a b@mail.example', 'invalid_format'],
    ['a line break inside', 'a\r\nBcc:x@mail.example', 'invalid_format'],
    ['a control character inside', 'a\u0001@mail.example', 'invalid_format'],
    ['a display name', 'Ada <ada@mail.example>', 'invalid_format'],
    ['a list', 'a@mail.example,b@mail.example', 'invalid_format'],
    ['a quoted name', '"a"@mail.example', 'invalid_format'],
    ['an address literal', 'a@[127.0.0.1]', 'invalid_format'],
    ['an empty label', 'a@mail..example', 'invalid_format'],
    ['a label that begins with a hyphen', 'a@-mail.example', 'invalid_format'],
    ['a domain with a Kelvin sign', 'a@mail.e\u212Aample', 'invalid_format'],
    ['a name of 65 characters', `${'x'.repeat(65)}@mail.example`, 'invalid_format'],
    ['255 characters', `x@${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(61)}`, 'too_long'],
    ['no characters', '', 'invalid_format'],
    ['the value null', null, 'invalid_type'],
    ['a numeric value', 1, 'invalid_type'],
  ])('refuses an email address with %s', async (_what, email, code) => {
    const answer = await board.post(path, undefined, bodyWith(email as string))
    expect([answer.status, faultsOf(answer)]).toEqual([422, [`#/email ${code}`]])
  })
}

/** Registers tests in the 409 block. */
export function refusesTakenEmails(board: Board, { path, bodyWith }: Registration, eventType: string): void {
  test('ignores the case of email addresses, and leaves nothing behind after a conflict', async () => {
    expect((await board.post(path, undefined, bodyWith('Jo.Doe@Mail.example'))).status).toBe(201)
    const count = async () => {
      const rows = await board.database.read((db) => db.selectFrom('account').select('id').execute())
      return [rows.length, (await board.events(eventType)).length]
    }
    const before = await count()
    for (const email of [
      'Jo.Doe@Mail.example',
      'jo.doe@mail.example',
      'JO.DOE@MAIL.EXAMPLE',
      ' jo.doe@mail.example ',
    ]) {
      const answer = await board.post(path, undefined, bodyWith(email))
      expect([answer.status, answer.body.code, faultsOf(answer)]).toEqual([409, 'email_taken', ['#/email email_taken']])
    }
    expect(await count()).toEqual(before)
  })

  test('ignores the case of letters beyond ASCII, on every database', async () => {
    expect((await board.post(path, undefined, bodyWith('Éloïse.Ω@mail.example'))).status).toBe(201)
    const answer = await board.post(path, undefined, bodyWith('ÉLOÏSE.ω@MAIL.example'))
    expect([answer.status, answer.body.code]).toEqual([409, 'email_taken'])
  })

  test('lets exactly one of ten simultaneous registrations use the email address', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        board.post(path, undefined, bodyWith(i % 2 ? 'Rush@mail.example' : 'rush@mail.example')),
      ),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(9).fill(409)])
  })
}

/** Registers tests in the 401 block. While registration is open, only requests with a key are authenticated. */
export function refusesBadRegistrationKeys(board: Board, { path, bodyWith }: Registration): void {
  test('refuses an invalid key even while registration is open', async () => {
    for (const authorization of ['Bearer x', 'Bearer', 'Basic x']) {
      const body = bodyWith('bad-key@mail.example')
      const answer = await board.call('POST', path, { body, headers: { authorization } })
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthorized'])
    }
  })
}

/** Registers tests in the 201 block. */
export function registersForOperators(board: Board, { path, bodyWith }: Registration): void {
  test('lets admins and integrators register others when REGISTRATION=closed', async () => {
    const { key } = await board.integrator()
    await board.restart({ REGISTRATION: 'closed' })
    try {
      expect((await board.post(path, ADMIN_KEY, bodyWith('by-admin@mail.example'))).status).toBe(201)
      expect((await board.post(path, key, bodyWith('by-integrator@mail.example'))).status).toBe(201)
    } finally {
      await board.restart()
    }
  })

  test.each(['candidate', 'employer'] as const)('lets %s accounts register others by default', async (kind) => {
    const { key } = await board.account(kind)
    expect((await board.post(path, key, bodyWith(`by-${kind}@mail.example`))).status).toBe(201)
  })
}
