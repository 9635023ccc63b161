/** Emails through a real SMTP server: delivery, prevention of duplicates, and failing servers. */
import { createServer, type Server, type Socket } from 'node:net'
import { sql } from 'kysely'
import { Registry } from 'prom-client'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { AppError } from '../../src/lib/errors.ts'
import { newId } from '../../src/lib/ids.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { type MailComposer, queueMails } from '../../src/mail/queue.ts'
import { createMailMetrics, mailPurge, mailSender, pausesMs } from '../../src/mail/sender.ts'
import { createMailTransport, type Delivery, type MailTransport } from '../../src/mail/transport.ts'
import { ALERTS, makeAlert } from '../support/alerts.ts'
import { apply, setStatus, world } from '../support/applications.ts'
import { type Account, Board, useBoard } from '../support/board.ts'
import { isOnPostgres } from '../support/database.ts'
import { headerOf, unsubscribePath, useMailServer } from '../support/mails.ts'
import { memberKey } from '../support/members.ts'
import { freePort, ServiceProcess } from '../support/process.ts'
import { runTask, runTogether } from '../support/tasks.ts'

const server = await useMailServer()
const url = () => `smtp://127.0.0.1:${server.port}`
const MAIL_FROM = 'Föhr Jobs <jobs@board.example>'
// Without pages, emails link to the API and to a job's external application URL.
const board = useBoard({ MAIL_URL: url(), MAIL_FROM, PAGES: 'off' })

let candidate: Account
beforeEach(async () => {
  await server.restart()
  server.received.length = 0
  candidate ??= await board.candidate()
  await board.database.inTx(async (tx) => {
    await tx.deleteFrom('mail').execute()
    await tx.deleteFrom('job_alert').execute()
    await tx.deleteFrom('newly_visible_job').execute()
  })
})

const mails = () => board.database.read((db) => db.selectFrom('mail').selectAll().orderBy('id').execute())
const statesOf = async () => (await mails()).map(({ state }) => state)
/** Queues this many emails, and returns their IDs. */
const queue = async (count: number, to = candidate) => {
  const ids = Array.from({ length: count }, () => newId('mail'))
  const at = board.clock.now()
  await board.database.inTx((tx) =>
    queueMails(
      tx,
      ids.map((id) => ({ id, kind: 'job-alert', accountId: to.id, subjectId: id, at })),
    ),
  )
  return ids
}
const plain: MailComposer = async (_reader, mail) => ({
  subject: mail.id,
  paragraphs: ['Hello.'],
  reason: 'This is a test.',
  unsubscribeId: 'x',
  neutral: { subject: mail.id, paragraph: 'Hello.' },
})
const transport = (mailUrl = url()) =>
  createMailTransport({ url: mailUrl, folder: '/nowhere', from: () => MAIL_FROM, host: 'board.example' })
const logged: string[] = []
const mailMetrics = createMailMetrics(new Registry(), ['job-alert'])
const sender = (more: { transport?: MailTransport; compose?: MailComposer; database?: Database } = {}) =>
  mailSender({
    database: more.database ?? board.database,
    clock: board.clock,
    log: { warn: (_details, message) => logged.push(message), error: (_details, message) => logged.push(message) },
    metrics: mailMetrics,
    transport: more.transport ?? transport(),
    composers: { 'job-alert': more.compose ?? plain },
    origin: 'https://board.example',
    brand: () => ({
      ...{ name: 'Gearwright', tagline: null, logo: null, accentColor: null, contactEmail: null, pages: [] },
      ...{ languages: ['en'], defaultLanguage: 'en' },
    }),
    timeZone: 'UTC',
    unsubscribeSecret: new Uint8Array(32),
  })

describe('the email of an alert', () => {
  test('arrives as text and HTML with the matching jobs, and contains a one-click unsubscribe link', async () => {
    const employer = await board.employer({ name: 'Föhr & Söhne <Vans>' })
    const reader = await board.candidate({ email: 'reader@mail.example' })
    const { id } = await makeAlert(board, reader, { name: 'Vans', frequency: 'instant' })
    const job = await board.activeJob(employer, {
      location: 'Malmö, Sweden',
      salary: { min: 50_000, max: 60_000, currency: 'EUR' },
      application_url: 'https://vans.example/apply?a=1&b="2"',
      description: `Van ${'x'.repeat(3_000)}`,
    })
    // Earlier releases accepted names with line breaks.
    await board.database.inTx(async (tx) => {
      await sql`update job_alert set name = ${'Vans\r\nBcc: all@mail.example'} where id = ${id}`.execute(tx)
      await sql`update job set title = ${'Van <b>designer</b>\r\nX-Evil: 1 „größer“'} where id = ${job.id}`.execute(tx)
    })
    await runTask(board, 'job-alerts-instant')
    await runTask(board, 'mail')
    expect(server.received.length).toBe(1)
    const [{ to, mail, bytes }] = server.received as [(typeof server.received)[0]]
    expect(to).toEqual(['reader@mail.example'])
    expect(mail.from).toEqual({ name: 'Föhr Jobs', address: 'jobs@board.example' })
    expect(mail.to).toEqual([{ name: '', address: 'reader@mail.example' }])
    expect(mail.subject).toBe('One new job for “Vans Bcc: all@mail.example”')
    expect(mail.messageId).toBe(`<${(await mails())[0]!.id}@board.example>`)
    expect(headerOf(mail, 'Auto-Submitted')).toBe('auto-generated')
    expect(headerOf(mail, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click')
    expect(headerOf(mail, 'Bcc') ?? headerOf(mail, 'X-Evil')).toBeUndefined()
    expect(new Date(mail.date!)).toEqual(new Date(Math.floor(board.clock.time / 1_000) * 1_000))
    expect(mail.text).toContain(
      'Van <b>designer</b> X-Evil: 1 „größer“\nFöhr & Söhne <Vans>, Malmö, Sweden\nEUR 50,000 to 60,000 a year\n',
    )
    expect(mail.text).toContain('https://vans.example/apply?a=1&b=')
    expect(mail.html).toContain('Van &lt;b&gt;designer&lt;/b&gt; X-Evil: 1 „größer“')
    expect(mail.html).not.toContain('<b>designer')
    expect(mail.text).not.toContain(job.description)
    for (const line of bytes.toString('latin1').split('\r\n')) expect(line.length).toBeLessThan(999)

    const path = unsubscribePath(mail)
    expect(mail.text).toContain(`Unsubscribe: https://board.example${path}`)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const done = await board.call('POST', path, { body: 'List-Unsubscribe=One-Click', headers })
    expect(done.status).toBe(200)
    expect((await board.get(`${ALERTS}/${id}`, reader.key)).body.data.is_active).toBe(false)
    await board.activeJob(employer, { title: 'Van' })
    await runTask(board, 'job-alerts-instant')
    await runTask(board, 'mail')
    expect(server.received.length).toBe(1)
  })

  test('is dropped if the alert is deactivated after the email was queued', async () => {
    const employer = await board.employer()
    const { id } = await makeAlert(board, candidate, { frequency: 'instant' })
    await board.activeJob(employer, { title: 'Van' })
    await runTask(board, 'job-alerts-instant')
    await board.put(`${ALERTS}/${id}`, candidate.key, { is_active: false })
    await runTask(board, 'mail')
    expect([server.received.length, await statesOf()]).toEqual([0, ['dropped']])
  })
})

describe('simultaneous senders', () => {
  test('never send an email twice', async () => {
    const ids = await queue(120)
    await runTogether(Array.from({ length: 6 }, () => sender()))
    expect(server.received.map(({ mail }) => mail.subject).sort()).toEqual(ids.sort())
    expect(new Set(await statesOf())).toEqual(new Set(['sent']))
    board.clock.advance(DAY_MS)
    await runTogether([sender(), sender()])
    expect(server.received.length).toBe(120)
  })

  test('of two services share one queue, even if the clock of one service is a day behind', async () => {
    const second = new Board()
    second.database = board.database
    second.clock.time = board.clock.time - DAY_MS
    await second.start({ MAIL_URL: url(), MAIL_FROM })
    const employer = await board.employer()
    for (let n = 0; n < 10; n++) await makeAlert(board, await board.candidate(), { frequency: 'instant' })
    await board.activeJob(employer, { title: 'Van' })
    const named = (name: string) => [board, second].map((one) => one.service.tasks.find((task) => task.name === name)!)
    await runTogether(named('job-alerts-instant'))
    await runTogether(named('mail'))
    await second.service.app.close()
    const receivers = server.received.flatMap(({ to }) => to)
    expect([receivers.length, new Set(receivers).size]).toEqual([10, 10])
  })
})

describe('a short database outage', () => {
  /** Returns the board's database, but the first `times` writes fail. */
  const failing = (times: number) => {
    let left = times
    const inStatement: typeof board.database.inStatement = async (work) => {
      if (left-- > 0) throw new AppError('unavailable')
      return board.database.inStatement(work)
    }
    return { ...board.database, inStatement }
  }

  test("only delays writing an email's result", async () => {
    await queue(3)
    await sender({ database: failing(5) }).once()
    expect(await statesOf()).toEqual(['sent', 'sent', 'sent'])
    expect(server.received).toHaveLength(3)
  })

  test('affects only the email whose result cannot be stored, even while the process stops', async () => {
    await queue(3)
    const ending = AbortSignal.abort()
    const slow = Promise.withResolvers<void>()
    let count = 0
    const transport: MailTransport = {
      isIdempotent: false,
      async deliver(): Promise<Delivery> {
        if (++count > 1) await slow.promise
        return { outcome: 'sent' }
      },
    }
    let isOver = false
    const round = sender({ database: failing(1), transport })
      .once(ending)
      .finally(() => {
        isOver = true
      })
    const failure = round.catch((error) => error)
    await expect.poll(() => count).toBe(3)
    // The first email has already failed, but a stopping process still waits for the others.
    expect(isOver).toBe(false)
    slow.resolve()
    expect(await failure).toMatchObject({ code: 'unavailable' })
    expect((await statesOf()).sort()).toEqual(['pending', 'sent', 'sent'])
  })
})

describe('a process that dies', () => {
  const claimed = async (change: object) => {
    const [id] = await queue(1)
    const now = board.clock.now()
    const lease_until = new Date(now.getTime() + 1_000)
    await board.database.inTx((tx) =>
      tx
        .updateTable('mail')
        .set({ attempts: 1, lease_until, ...change })
        .where('id', '=', id!)
        .execute(),
    )
  }

  test('leaves the email that it was handing over in the state unknown, and no process sends it again', async () => {
    await claimed({ handed_over_at: board.clock.now() })
    logged.length = 0
    await sender().once()
    expect(await statesOf()).toEqual(['pending'])
    board.clock.advance(1_000)
    await sender().once()
    expect([await statesOf(), logged]).toEqual([['unknown'], ['email may have arrived and is not sent again']])
    board.clock.advance(DAY_MS)
    await sender().once()
    expect(server.received).toEqual([])
  })

  test('lets another process send an email that was not handed over yet, once the lease expires', async () => {
    await claimed({})
    await sender().once()
    expect(server.received.length).toBe(0)
    board.clock.advance(1_000)
    await sender().once()
    expect([server.received.length, await statesOf()]).toEqual([1, ['sent']])
  })

  test('makes the email fail if it dies on the last attempt', async () => {
    await claimed({ attempts: pausesMs.length + 1 })
    board.clock.advance(1_000)
    await sender().once()
    expect([server.received.length, await statesOf()]).toEqual([0, ['failed']])
  })

  test.each<[Delivery, state: string, received: number]>([
    [{ outcome: 'sent' }, 'sent', 0],
    [{ outcome: 'unknown', detail: 'It broke off.' }, 'unknown', 0],
    [{ outcome: 'refused', isFinal: false, detail: 'Not now.' }, 'sent', 1],
  ])(
    'still records the result of its email if another process wrongly presumed it dead: %o',
    async (delivery, state, received) => {
      await queue(1)
      const stalled: MailTransport = {
        isIdempotent: false,
        async deliver() {
          // Another process handles the email after the lease expires, or too early because its clock is fast.
          board.clock.advance(DAY_MS)
          await sender().once()
          expect(await statesOf()).toEqual(['unknown'])
          return delivery
        },
      }
      await sender({ transport: stalled }).once()
      board.clock.advance(pausesMs[0]!)
      await sender().once()
      expect([server.received.length, await statesOf()]).toEqual([received, [state]])
    },
  )
})

describe('a server', () => {
  test("is retried after the first pause while it is down, without using up other emails' attempts", async () => {
    await server.stop()
    await queue(30)
    await sender().once()
    const tried = (await mails()).filter(({ attempts }) => attempts === 1)
    expect(tried.length).toBeLessThanOrEqual(5)
    expect(tried.map(({ due_at }) => due_at.getTime() - board.clock.time)).toEqual(tried.map(() => pausesMs[0]))
    expect((await mails()).every((mail) => mail.handed_over_at === null && mail.lease_until === null)).toBe(true)
    await server.start()
    board.clock.advance(pausesMs[0]!)
    await runTogether([sender(), sender()])
    expect([server.received.length, new Set(await statesOf())]).toEqual([30, new Set(['sent'])])
  })

  test('makes only those emails fail whose recipient it permanently rejects', async () => {
    const gone = await board.candidate({ email: 'gone@mail.example' })
    await server.restart({
      onRcptTo: ({ address }, _session, done) =>
        done(address === 'gone@mail.example' ? Object.assign(new Error('No such user'), { responseCode: 550 }) : null),
    })
    await queue(3, gone)
    await queue(3)
    await runTogether([sender()])
    expect((await statesOf()).sort()).toEqual([...Array(3).fill('failed'), ...Array(3).fill('sent')])
    expect((await mails())[0]!.last_error).toContain('550')
  })

  test('gets up to ten attempts if it temporarily rejects the recipient', async () => {
    let asked = 0
    await server.restart({
      onRcptTo: (_address, _session, done) => {
        asked++
        done(Object.assign(new Error('Busy'), { responseCode: 451 }))
      },
    })
    await queue(1)
    for (const pauseMs of pausesMs) {
      await sender().once()
      expect((await mails())[0]!.due_at.getTime()).toBe(board.clock.time + pauseMs)
      board.clock.advance(pauseMs - 1)
      await sender().once()
      board.clock.advance(1)
    }
    await sender().once()
    expect([asked, await statesOf()]).toEqual([pausesMs.length + 1, ['failed']])
  })

  test('makes the email fail if it rejects the message itself', async () => {
    await server.restart({
      onData: (stream, _session, done) => {
        stream.resume().on('end', () => done(Object.assign(new Error('Spam'), { responseCode: 554 })))
      },
    })
    await queue(1)
    await sender().once()
    expect(await statesOf()).toEqual(['failed'])
  })

  test('is retried after it rejects the password or the sender', async () => {
    await server.restart({
      authOptional: false,
      onAuth: (_auth, _session, done) => done(new Error('Invalid password')),
    })
    await queue(1)
    await sender({ transport: transport(`smtp://me:wrong@127.0.0.1:${server.port}`) }).once()
    expect(await statesOf()).toEqual(['pending'])
    await server.restart({
      onMailFrom: (_address, _session, done) => done(Object.assign(new Error('Who?'), { responseCode: 550 })),
    })
    board.clock.advance(pausesMs[0]!)
    await sender().once()
    expect(await statesOf()).toEqual(['pending'])
    expect((await mails())[0]).toMatchObject({ attempts: 2, handed_over_at: null })
  })

  test('gets the user name and password from MAIL_URL if it requires a login', async () => {
    const seen: unknown[] = []
    await server.restart({
      authOptional: false,
      onAuth: ({ username, password }, _session, done) => {
        seen.push([username, password])
        done(null, { user: username })
      },
    })
    await queue(1)
    await sender({ transport: transport(`smtp://me%40x:p%40ss%2F@127.0.0.1:${server.port}`) }).once()
    expect([seen, server.received.length]).toEqual([[['me@x', 'p@ss/']], 1])
  })

  test('is abandoned if it is silent when the process stops, and the email is retried', async () => {
    const ending = new AbortController()
    const silent = createServer((socket) => {
      socket.on('error', () => {})
      ending.abort()
    })
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    await queue(1)
    await sender({ transport: transport(`smtp://127.0.0.1:${port}`) }).once(ending.signal)
    expect(await mails()).toMatchObject([{ state: 'pending', handed_over_at: null, lease_until: null }])
    // If a delivery starts during the shutdown, its connection attempt has a time limit as well.
    board.clock.advance(pausesMs[0]!)
    await sender({ transport: transport(`smtp://127.0.0.1:${port}`) }).once(ending.signal)
    expect(await mails()).toMatchObject([{ state: 'pending', handed_over_at: null, attempts: 2 }])
    silent.close()
  })

  describe('that misbehaves:', () => {
    let bad: Server
    const sockets = new Set<Socket>()
    afterAll(() => bad?.close())
    /**
     * Starts an SMTP server that responds to each line with the result of `answer`, or disconnects if the result is
     * undefined.
     */
    const talk = async (answer: (line: string) => string | undefined) => {
      bad?.close()
      bad = createServer((socket) => {
        sockets.add(socket)
        socket.on('error', () => {}).setEncoding('utf8')
        socket.write('220 hello\r\n')
        let isMessage = false
        socket.on('data', (text: string) => {
          if (isMessage && !text.endsWith('\r\n.\r\n')) return
          const line = isMessage ? '.' : text.trim()
          isMessage = line === 'DATA'
          const said = answer(line)
          if (said === undefined) socket.destroy()
          else socket.write(`${said}\r\n`)
        })
      })
      await new Promise<void>((resolve) => bad.listen(0, '127.0.0.1', resolve))
      return transport(`smtp://127.0.0.1:${(bad.address() as { port: number }).port}?socketTimeout=200`)
    }
    const good = (line: string) => (line === 'DATA' ? '354 go on' : '250 fine')

    test.each(['EHLO', 'MAIL', 'RCPT', 'DATA'])(
      'the email is retried if the server disconnects at %s',
      async (verb) => {
        await queue(1)
        await sender({ transport: await talk((line) => (line.startsWith(verb) ? undefined : good(line))) }).once()
        expect(await statesOf()).toEqual(['pending'])
        expect((await mails())[0]!.handed_over_at).toBeNull()
      },
    )

    test('the email gets the state unknown if the server disconnects or is silent after the message', async () => {
      await queue(1)
      await sender({ transport: await talk((line) => (line === '.' ? undefined : good(line))) }).once()
      expect(await statesOf()).toEqual(['unknown'])
      await queue(1)
      const silent = await talk((line) => (line === '.' ? '' : good(line)).replace(/^$/, '250-'))
      await sender({ transport: silent }).once()
      expect(await statesOf()).toEqual(['unknown', 'unknown'])
    })
  })
})

describe('an email that cannot be sent', () => {
  test('is dropped if it has no recipient, and left to other processes if its kind is unknown', async () => {
    const integrator = await board.integrator()
    await queue(1, integrator)
    await board.database.inTx((tx) =>
      queueMails(tx, [{ kind: 'application-status', accountId: candidate.id, subjectId: 'x', at: board.clock.now() }]),
    )
    await sender().once()
    expect(await statesOf()).toEqual(['dropped', 'pending'])
  })

  test('is retried if it could not be composed', async () => {
    await queue(1)
    await sender({
      compose: async () => {
        throw new Error('Composer')
      },
    }).once()
    expect((await mails())[0]).toMatchObject({ state: 'pending', attempts: 1, handed_over_at: null, lease_until: null })
  })
})

test('only completed emails are deleted after thirty days', async () => {
  await queue(2)
  await sender().once()
  const [waiting] = await queue(1)
  board.clock.advance(30 * DAY_MS)
  await mailPurge(board.database, board.clock).once()
  expect((await mails()).length).toBe(3)
  board.clock.advance(1)
  await mailPurge(board.database, board.clock).once()
  expect((await mails()).map(({ id }) => id)).toEqual([waiting])
})

// Two processes cannot share the embedded database.
describe.runIf(isOnPostgres)('when processes are killed with SIGKILL', () => {
  const running: ServiceProcess[] = []
  afterAll(() => Promise.all(running.map((service) => service.signal('SIGKILL'))))
  const start = async (part: 'http' | 'work') => {
    const { url: DATABASE_URL } = board.database as { url?: string }
    const port = String(await freePort())
    const environment = { DATABASE_URL: DATABASE_URL!, DATA_DIR: board.config.dataDir, MAIL_URL: url(), MAIL_FROM }
    const service = new ServiceProcess(['serve', '--only', part], { ...environment, PORT: port })
    running.push(service)
    if (part === 'http') await service.printed(/"msg":"listening"/)
    return { kill: () => service.signal('SIGKILL'), address: `http://127.0.0.1:${port}` }
  }

  test('the email about a new status is neither lost nor sent twice, and the email about a rejection waits for its delay', {
    timeout: 240_000,
  }, async () => {
    board.clock.time = Date.now()
    const { employer, job, application } = await world(board)
    const clear = () =>
      board.database.inTx((tx) => tx.deleteFrom('mail').where('kind', '<>', 'application-status').execute())
    const stateOf = async (id: string) => {
      const own = (await mails()).filter(({ subject_id, kind }) => subject_id === id && kind === 'application-status')
      return own.map(({ state }) => state)
    }
    /** Changes the status through a process that is killed right after its response. */
    const move = async (status: string) => {
      const { address, kill } = await start('http')
      const response = await fetch(`${address}/v1/employers/applications/${application.id}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${employer.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ status }),
      })
      expect(response.status).toBe(200)
      await kill()
    }
    await clear()
    await move('reviewed')
    expect(await stateOf(application.id)).toEqual(['pending'])

    // The mail server has the email, but the worker dies before it gets the response.
    const arrived: (() => void)[] = []
    await server.restart({
      onData(stream, _session, done) {
        stream.resume().on('end', () => arrived.push(done))
      },
    })
    const victim = await start('work')
    await expect.poll(() => arrived.length, { timeout: 60_000 }).toBe(1)
    await victim.kill()
    for (const done of arrived) done()
    await server.restart()
    const next = await start('work')
    // Expires the lease now instead of in minutes.
    await board.database.inTx((tx) =>
      sql`update mail set lease_until = now() where lease_until is not null`.execute(tx),
    )
    await expect.poll(() => stateOf(application.id), { timeout: 60_000 }).toEqual(['unknown'])

    await setStatus(board, employer, application.id, 'rejected')
    await next.kill()
    const other = await apply(board, await board.candidate(), job.id)
    await clear()
    await setStatus(board, employer, other.id, 'reviewed')
    const last = await start('work')
    await expect.poll(() => stateOf(other.id), { timeout: 60_000 }).toEqual(['sent'])
    expect(await stateOf(application.id)).toEqual(['unknown', 'pending'])
    // Simulates a wait of ten minutes.
    await board.database.inTx((tx) => sql`update mail set due_at = now() where state = 'pending'`.execute(tx))
    await expect.poll(() => stateOf(application.id), { timeout: 60_000 }).toEqual(['unknown', 'sent'])
    expect(server.received).toHaveLength(2)
    await last.kill()
  })

  test('the candidate and each hiring member get exactly one email about an application', {
    timeout: 240_000,
  }, async () => {
    board.clock.time = Date.now()
    const employer = await board.employer({ email: 'company@team.example' })
    await memberKey(board, employer, 'recruiter')
    await memberKey(board, employer, 'viewer')
    const job = await board.activeJob(employer)
    const candidate = await board.candidate({ email: 'applicant@mail.example' })
    await board.database.inTx((tx) => tx.deleteFrom('mail').execute())
    const { address, kill } = await start('http')
    const response = await fetch(`${address}/v1/candidates/jobs/${job.id}/apply`, {
      method: 'POST',
      headers: { authorization: `Bearer ${candidate.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ cover_letter: 'I build batteries.' }),
    })
    expect(response.status).toBe(201)
    await kill()
    expect(await statesOf()).toEqual(['pending', 'pending', 'pending'])

    const recipients: string[] = []
    await server.restart({
      onRcptTo({ address }, _session, done) {
        recipients.push(address)
        done()
      },
      // The mail server has the emails, but the worker dies before it gets the responses.
      onData: (stream) => void stream.resume(),
    })
    const victim = await start('work')
    await expect.poll(() => recipients.length, { timeout: 60_000 }).toBe(3)
    await victim.kill()
    await server.restart()
    await board.database.inTx((tx) =>
      sql`update mail set lease_until = now() where lease_until is not null`.execute(tx),
    )
    const last = await start('work')
    await expect.poll(statesOf, { timeout: 60_000 }).not.toContain('pending')
    await last.kill()
    const again = server.received.flatMap(({ to }) => to)
    expect([...recipients, ...again].sort()).toEqual([
      'applicant@mail.example',
      'company@team.example',
      expect.stringMatching(/^member-\d+@team\.example$/),
    ])
  })
})
