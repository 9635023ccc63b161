/** The admin area, without JavaScript. */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ADMIN_KEY, Board, expectStatus, useBoard } from '../support/board.ts'
import { listOffered } from '../support/catalogue.ts'
import { useMonotonic } from '../support/monotonic.ts'
import { faultOf, type Visitor, visitor } from '../support/pages.ts'
import { runTask } from '../support/tasks.ts'
import { makeDelivery } from '../support/webhooks.ts'

const board = useBoard()
/** Another process on the same database. */
const other = new Board()
let operator: Visitor
const monotonic = useMonotonic()

beforeAll(async () => {
  other.database = board.database
  await other.start()
  operator = await visitor(board, { key: ADMIN_KEY })
})
afterAll(() => other.service.app.close())

const actions = async () =>
  board.database.read((db) =>
    db.selectFrom('operator_action').select(['action', 'subject', 'note', 'key_name']).orderBy('id').execute(),
  )

describe('settings', () => {
  const registers = async (at: Board) => {
    const body = { first_name: 'Una', last_name: 'Sund', email: `una-${Math.random()}@candidate.example` }
    return (await at.post('/v1/candidates', undefined, body)).status
  }
  const offers = async (at: Board) => {
    const front = await (await visitor(at)).get('/jobs')
    return front.seen.includes('Create account')
  }

  test('close registration on pages and in the API, in every process, and reopen it', async () => {
    expect([await offers(board), await offers(other)]).toEqual([true, true])
    const page = await operator.get('/desk/settings')
    expect(page.seen).toContain('Follow the configuration: open')
    const closed = await operator.submit(page, '/desk/settings/registration', { registration: 'closed' })
    expect(closed.seen).toContain('Registration is closed.')
    expect(closed.seen).toContain('ADMIN_API_KEY')
    expect([await registers(board), await offers(board)]).toEqual([401, false])
    expect((await (await visitor(board)).get('/register/candidate')).path).toContain('/sign-in')
    // The other process's cached page changes, too.
    await runTask(other, 'desk')
    expect([await registers(other), await offers(other)]).toEqual([401, false])
    const open = await operator.submit(closed, '/desk/settings/registration', { registration: 'open' })
    expect(open.seen).toContain('Registration is open.')
    await runTask(other, 'desk')
    expect([await registers(board), await registers(other), await offers(other)]).toEqual([201, 201, true])
  })

  test('override the configuration until they are reset', async () => {
    await other.restart({ REGISTRATION: 'closed' })
    expect(await registers(other)).toBe(201)
    const guest = await visitor(other, { key: ADMIN_KEY })
    const page = await guest.get('/desk/settings')
    expect(page.seen).toContain('Follow the configuration: closed')
    await guest.submit(page, '/desk/settings/registration', { registration: 'configured' })
    expect(await registers(other)).toBe(401)
    await other.restart()
    expect(await registers(other)).toBe(201)
  })

  test('report an invalid choice', async () => {
    const page = await operator.get('/desk/settings')
    const answer = await operator.submit(page, '/desk/settings/registration', { registration: 'perhaps' })
    expect(answer.status).toBe(422)
    expect(answer.document.querySelector('[role="alert"]')).not.toBeNull()
  })

  test('require the form token and the scope', async () => {
    expect((await operator.post('/desk/settings/registration', { registration: 'closed' })).status).toBe(403)
    const key = await board.keyWith({ id: '', key: ADMIN_KEY }, ['admin:read'])
    const reader = await visitor(board, { key })
    const page = await reader.get('/desk/settings')
    expect(page.document.querySelector('form[action="/desk/settings/registration"]')).toBeNull()
    const token = page.document.querySelector('[name="_csrf"]')!.getAttribute('value')!
    const refused = await reader.post('/desk/settings/registration', { _csrf: token, registration: 'closed' })
    expect([refused.status, await registers(board)]).toEqual([403, 201])
  })

  test('record who changed them', async () => {
    expect((await actions()).slice(0, 2)).toEqual([
      { action: 'registration.switch', subject: 'closed', note: null, key_name: 'ADMIN_API_KEY' },
      { action: 'registration.switch', subject: 'open', note: null, key_name: 'ADMIN_API_KEY' },
    ])
  })
})

describe('the catalog', () => {
  const path = '/desk/catalogue'
  const slugs = async () => (await listOffered(board, 'category')).map(({ slug }) => slug)

  test('offers new entries everywhere, and refuses duplicates', async () => {
    const page = await operator.get(path)
    const added = await operator.submit(page, `${path}/category`, { name: 'Bühnentechnik & Rail' })
    expect(added.seen).toContain('“Bühnentechnik & Rail” added at the end of the list')
    expect((await slugs()).at(-1)).toBe('buhnentechnik-rail')
    const employer = await board.employer()
    const editor = await (await visitor(board, employer)).get('/employer/jobs/new')
    expect(editor.document.querySelector('option[value="buhnentechnik-rail"]')!.textContent).toBe(
      'Bühnentechnik & Rail',
    )
    const listed = async (at: Board) => (await at.get('/v1/jobs/categories', employer.key)).body.data.at(-1)
    await runTask(other, 'desk')
    for (const at of [board, other]) {
      expect(await listed(at)).toEqual({ slug: 'buhnentechnik-rail', name: 'Bühnentechnik & Rail', job_count: 0 })
    }
    const again = await operator.submit(added, `${path}/category`, { name: 'Rail', slug: 'buhnentechnik-rail' })
    expect([again.status, faultOf(again, 'slug')]).toEqual([
      422,
      'The slug buhnentechnik-rail already exists. Use a different slug.',
    ])
    expect(again.document.querySelector('input[name="name"]')!.getAttribute('value')).toBe('Rail')
  })

  test('shows a new name in cached responses, too', async () => {
    const employer = await board.employer()
    await board.activeJob(employer, { type: 'full-time', category: 'motorsport' })
    const guest = await visitor(board)
    const elsewhere = await visitor(other)
    expect((await guest.get('/jobs')).seen).toContain('Motorsport')
    expect((await elsewhere.get('/jobs')).seen).toContain('Full-time')
    const rename = async (kind: string, slug: string, name: string) =>
      operator.submit(await operator.get(`${path}/${kind}/${slug}`), `${path}/${kind}/${slug}`, { name })
    expect((await rename('category', 'motorsport', '<b>Racing</b>')).seen).toContain('Renamed to “<b>Racing</b>”.')
    await rename('type', 'full-time', 'Whole days')
    await runTask(other, 'desk')
    for (const at of [guest, elsewhere]) {
      const { seen } = await at.get('/jobs')
      expect(seen).toContain('<b>Racing</b>')
      expect(seen).toContain('Whole days')
      expect(seen).not.toContain('Motorsport')
      expect(seen).not.toContain('Full-time')
    }
    await rename('type', 'full-time', 'Full-time')
    const empty = await rename('category', 'motorsport', ' ')
    expect([empty.status, faultOf(empty, 'name')]).toEqual([422, 'Enter a name.'])
    expect((await operator.get(`${path}/category/no-such`)).status).toBe(404)
    expect((await operator.get(`${path}/colors`)).status).toBe(404)
  })

  test('keeps the order that was set', async () => {
    const [first, second] = await slugs()
    const move = async (slug: string, direction: string) =>
      operator.submit(await operator.get(path), `${path}/category/${slug}/move`, { direction })
    await move(second!, 'up')
    expect((await slugs()).slice(0, 2)).toEqual([second, first])
    await move(second!, 'down')
    expect((await slugs()).slice(0, 2)).toEqual([first, second])
    const moves = (await operator.get(path)).document
      .querySelectorAll(`form[action="${path}/category/${first}/move"]`)
      .filter((form) => !form.querySelector('button')!.hasAttribute('disabled'))
    expect(moves.map((form) => form.querySelector('[name="direction"]')!.getAttribute('value'))).toEqual(['down'])
  })

  test('removes an entry without changing the jobs that use it', async () => {
    const employer = await board.employer()
    const { id } = await board.activeJob(employer, { category: 'finance' })
    const out = await operator.submit(await operator.get(path), `${path}/category/finance/remove`)
    expect(out.seen).toContain('Removed from the list.')
    expect(await slugs()).not.toContain('finance')
    expect((await board.get(`/v1/jobs/${id}`, employer.key)).body.data.category).toBe('finance')
    expect(out.seen).toContain('Add as “Finance”')
    // The first form with this action contains the “Add as” button.
    expect((await operator.submit(out, `${path}/category`)).seen).toContain('“Finance” added at the end of the list')
    const again = await operator.submit(await operator.get(path), `${path}/category/finance/remove`)
    expect(again.status).toBe(200)
    const csrf = again.document.querySelector('[name="_csrf"]')!.getAttribute('value')!
    expect((await operator.post(`${path}/category/finance/remove`, { _csrf: csrf })).status).toBe(404)
  })

  test('keeps all entries that are added simultaneously', async () => {
    const { document } = await operator.get(path)
    const csrf = document.querySelector('[name="_csrf"]')!.getAttribute('value')!
    const names = ['Aviation', 'Bicycles', 'Cranes', 'Drones']
    const answers = await Promise.all(
      names.map((name) => operator.send('POST', `${path}/type`, { body: new URLSearchParams({ _csrf: csrf, name }) })),
    )
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303])
    const last = (await listOffered(board, 'type')).slice(-4)
    expect(last.map(({ name }) => name).sort()).toEqual(names)
    const key = (await board.candidate()).key
    expect(expectStatus(await board.get('/v1/jobs/types', key), 200).body.data.length).toBe(12)
  })
})

describe('payments', () => {
  const begin = async (company: string) => {
    const employer = await board.employer({ name: company })
    const { id: job_id } = await board.job(employer, { title: `Driver for ${company}` })
    const begun = await board.post('/v1/employers/payments', employer.key, { job_id, products: ['job-post'] })
    return { employer, job_id, id: expectStatus(begun, 201).body.data.id as string }
  }

  test('are listed while pending, oldest first, and settled after a confirmation', async () => {
    const first = await begin('<i>Haulage</i>')
    board.clock.advance(2 * 3_600_000)
    const second = await begin('Later Lorries')
    const list = await operator.get('/desk/payments')
    const at = (text: string) => list.seen.indexOf(text)
    expect(list.seen).toContain('Driver for <i>Haulage</i>')
    expect(list.seen).toContain('2 hours ago')
    expect(at('<i>Haulage</i>')).toBeLessThan(at('Later Lorries'))
    const page = await operator.get(`/desk/payments/${first.id}`)
    expect(page.seen).toContain('Has the money arrived?')
    const settled = await operator.submit(page, `/desk/payments/${first.id}/mark-paid`)
    expect(settled.seen).toContain('Payment marked as paid')
    expect(settled.document.querySelector('form[action$="/mark-paid"]')).toBeNull()
    expect((await board.post(`/v1/jobs/${first.job_id}/activate`, first.employer.key)).status).toBe(200)
    expect((await operator.get('/desk/payments')).seen).not.toContain('Haulage')
    expect((await operator.get('/desk/payments?status_in=paid,refunded')).seen).toContain('Driver for <i>Haulage</i>')
    // Repeating the request has no effect.
    const csrf = page.document.querySelector('[name="_csrf"]')!.getAttribute('value')!
    await operator.post(`/desk/payments/${first.id}/mark-paid`, { _csrf: csrf })
    const noted = (await actions()).filter(({ action }) => action === 'payment.mark_paid')
    expect(noted).toEqual([
      { action: 'payment.mark_paid', subject: first.id, note: '199.00 USD', key_name: 'ADMIN_API_KEY' },
    ])
    expect((await operator.post(`/desk/payments/${second.id}/mark-paid`)).status).toBe(403)
    expect((await operator.get(`/desk/payments/${second.id}`)).seen).toContain('Not paid yet')
  })

  test('show a warning if their job was deleted, and cannot be settled once they have expired', async () => {
    const { id, job_id, employer } = await begin('Gone Garage')
    expectStatus(await board.delete(`/v1/jobs/${job_id}`, employer.key), 204)
    const page = await operator.get(`/desk/payments/${id}`)
    expect(page.seen).toContain('The job was deleted, so no payment is due.')
    await board.database.inTx((tx) =>
      tx.updateTable('payment').set({ status: 'expired' }).where('id', '=', id).execute(),
    )
    const answer = await operator.submit(page, `/desk/payments/${id}/mark-paid`)
    expect([answer.status, answer.document.querySelector('[role="alert"]')!.textContent]).toEqual([
      409,
      expect.stringContaining("The payment's status is expired."),
    ])
    expect((await operator.get('/desk/payments?status=lost')).status).toBe(400)
    expect((await operator.get('/desk/payments/pay_00000000000000000000000000')).status).toBe(404)
  })
})

describe('accounts', () => {
  // Earlier tests moved the clock, and dangerous actions need a fresh sign-in.
  beforeEach(async () => {
    operator = await visitor(board, { key: ADMIN_KEY })
  })

  const path = '/desk/accounts'

  test('are found by name and email address, in any letter case, and by kind', async () => {
    const { id } = await board.employer({ name: 'Örtlicher <u>Betrieb</u>', email: 'Hello@Betrieb.example' })
    const found = async (query: string) => (await operator.get(`${path}?${query}`)).seen
    for (const search of ['ortlicher', 'BETRIEB.EXAMPLE', 'hello@', id]) {
      expect(await found(`search=${encodeURIComponent(search)}`)).toContain('Örtlicher <u>Betrieb</u>')
    }
    expect(await found('search=ortlicher&kind=candidate')).toContain('No accounts found')
    expect(await found('search=%25')).toContain('No accounts found')
    expect(await found('sort=name:asc&kind=employer')).toContain('By name')
    expect((await operator.get(`${path}?kind=robot`)).status).toBe(400)
    // Empty fields are ignored.
    expect(await found('search=&kind=&is_suspended=&sort=created_at%3Adesc')).toContain('accounts')
  })

  test('show their data, but never a key', async () => {
    const employer = await board.employer({ name: 'Shown Shop' })
    await board.activeJob(employer)
    await board.job(employer)
    const key = await board.keyWith(employer, ['jobs:read'])
    const page = await operator.get(`${path}/${employer.id}`)
    expect(page.seen).toContain('Jobs on the board1')
    expect(page.seen).toContain('Drafts1')
    expect(page.seen).toContain('Payments1')
    expect(page.seen).toContain('Limited')
    expect(page.seen).toContain(key.slice(-4))
    for (const secret of [key, employer.key]) expect(page.text).not.toContain(secret.slice(8, -4))
    expect((await operator.get(`${path}/emp_00000000000000000000000000`)).status).toBe(404)
    expect((await operator.get(`${path}/x`)).status).toBe(404)
  })

  test('immediately lose a revoked key and the sessions that began with it', async () => {
    const employer = await board.employer()
    const key = await board.keyWith(employer, ['jobs:read'])
    const inside = await visitor(board, { key })
    expect((await board.get('/v1/me', key)).status).toBe(200)
    const page = await operator.get(`${path}/${employer.id}`)
    const row = page.document.querySelectorAll('tr').find((one) => one.textContent.includes('Limited'))!
    const action = row.querySelector('form')!.getAttribute('action')!
    const revoked = await operator.submit(page, action)
    expect(revoked.seen).toContain('API key revoked')
    expect((await board.get('/v1/me', key)).status).toBe(401)
    expect((await inside.get('/employer/jobs')).path).toContain('/sign-in')
    expect((await board.get('/v1/me', employer.key)).status).toBe(200)
    const csrf = page.document.querySelector('[name="_csrf"]')!.getAttribute('value')!
    expect((await operator.post(action, { _csrf: csrf })).status).toBe(404)
    expect((await operator.post(action)).status).toBe(403)
  })

  test('have no access while they are suspended', async () => {
    const candidate = await board.candidate({ email: 'locked@out.example' })
    const inside = await visitor(board, candidate)
    expect((await inside.get('/me')).path).toBe('/me')
    const at = `${path}/${candidate.id}`
    const empty = await operator.submit(await operator.get(at), `${at}/suspend`, { reason: ' ' })
    expect([empty.status, faultOf(empty, 'reason')]).toEqual([422, 'Enter a reason.'])
    const page = await operator.submit(empty, `${at}/suspend`, { reason: 'Sends <b>spam</b>' })
    expect(page.seen).toContain('Account suspended')
    expect(page.seen).toContain('Sends <b>spam</b>')
    const answer = await board.get('/v1/me', candidate.key)
    expect([answer.status, answer.body.code]).toEqual([403, 'account_suspended'])
    const closed = await inside.get('/me')
    expect([closed.status, closed.path]).toEqual([403, '/me'])
    expect(closed.seen).toContain('This account is suspended.')
    // The pages for visitors remain available.
    expect((await inside.get('/jobs')).status).toBe(200)
    // The other process has not cached the key.
    expect((await other.get('/v1/me', candidate.key)).status).toBe(403)
    const guest = await visitor(board)
    const refused = await guest.submit(await guest.get('/sign-in'), '/sign-in/key', { api_key: candidate.key })
    expect([refused.status, refused.seen.includes('This account is suspended.')]).toEqual([403, true])
    const mails = () => board.database.read((db) => db.selectFrom('mail').select('id').execute())
    const before = (await mails()).length
    await guest.submit(await guest.get('/sign-in'), '/sign-in/link', { email: 'locked@out.example' })
    expect((await mails()).length).toBe(before)
    expect((await operator.get(`${path}?is_suspended=true`)).seen).toContain('locked@out.example')

    const open = await operator.submit(page, `${at}/resume`)
    expect(open.seen).toContain('Account resumed.')
    expect((await board.get('/v1/me', candidate.key)).status).toBe(200)
    expect((await inside.get('/me')).path).toBe('/me')
    // Erasing a person also removes the reasons.
    expectStatus(await board.delete('/v1/candidates/profile', candidate.key), 204)
    expect((await actions()).filter(({ subject }) => subject === candidate.id)).toEqual([
      { action: 'account.suspend', subject: candidate.id, note: null, key_name: 'ADMIN_API_KEY' },
      { action: 'account.resume', subject: candidate.id, note: null, key_name: 'ADMIN_API_KEY' },
    ])
  })

  test('are trusted by any process for at most a second after their suspension', async () => {
    const employer = await board.employer()
    expect((await other.get('/v1/me', employer.key)).status).toBe(200)
    const at = `${path}/${employer.id}`
    await operator.submit(await operator.get(at), `${at}/suspend`, { reason: 'Not a company' })
    monotonic.advance(1_000)
    expect((await other.get('/v1/me', employer.key)).status).toBe(403)
  })

  test("include the admin's own account, which cannot be suspended", async () => {
    const at = `${path}/adm_00000000000000000000000000`
    const page = await operator.get(at)
    expect(page.document.querySelector('form[action$="/suspend"]')).toBeNull()
    const csrf = page.document.querySelector('[name="_csrf"]')!.getAttribute('value')!
    const refused = await operator.post(`${at}/suspend`, { _csrf: csrf, reason: 'Away' })
    expect([refused.status, (await operator.get('/desk')).status]).toEqual([409, 200])
  })
})

describe('the overview', () => {
  test('links to open work and shows past actions', async () => {
    const page = await operator.get('/desk')
    expect(page.seen).toContain('Jobs on the board')
    expect(page.seen).toContain('Registration is Open')
    expect(page.seen).toContain('pending payment')
    expect(page.seen).toContain('Suspended')
    const links = page.document.querySelectorAll('nav.sub a').map((link) => link.getAttribute('href'))
    expect(links).toEqual([
      '/desk',
      '/desk/reports',
      '/desk/jobs',
      '/desk/duplicates',
      '/desk/payments',
      '/desk/accounts',
      '/desk/companies',
      '/desk/blocks',
      '/desk/emails',
      '/desk/queues',
      '/desk/tasks',
      '/desk/storage',
      '/desk/activity',
      '/desk/staff',
      '/desk/products',
      '/desk/catalogue',
      '/desk/currency-rates',
      '/desk/board',
      '/desk/settings',
    ])
    expect((await (await visitor(board)).get('/desk')).path).toBe('/sign-in?return_to=%2Fdesk')
    const signedIn = await (await visitor(board)).signIn({ key: ADMIN_KEY })
    expect((await signedIn.get('/home')).path).toBe('/desk')
  })
})

test('the overview estimates the figures of large tables, and marks them as estimates', async () => {
  board.clock.advance(61_000)
  const exact = await operator.get('/desk')
  expect(exact.seen).not.toContain('about')
  expect(exact.seen).not.toContain('estimated')
  const pretend = (table: string, rows: number) =>
    board.database.withClient(async (client) => {
      await client.query(`alter table ${table} set (autovacuum_enabled = off)`)
      await client.query('update pg_class set reltuples = $2 where oid = $1::regclass', [table, rows])
    })
  await pretend('account', 3_000_000)
  await pretend('webhook_delivery_settled_former', 1_000_000_000)
  board.clock.advance(61_000)
  const { seen } = await operator.get('/desk')
  expect(seen).toContain('about 3,000,000')
  expect(seen).toContain('Deliveries are estimated from a sample.')
  for (const table of ['account', 'webhook_delivery_settled_former']) await pretend(table, 0)
})

test('the overview shows figures for the last 30 days in charts and a table, at most a minute old', async () => {
  const figures = async () => {
    const { document } = await operator.get('/desk')
    const texts = (selector: string, from = document as { querySelectorAll: typeof document.querySelectorAll }) =>
      from.querySelectorAll(selector).map(({ textContent }) => textContent.trim())
    const table = document.querySelectorAll('table').find((one) => one.textContent.includes('Figures by day'))!
    const names = texts('thead th', table).slice(1)
    const rows = table.querySelectorAll('tbody tr').map((row) => texts('td', row).slice(1))
    const today = Object.fromEntries(names.map((name, n) => [name, Number.parseFloat(rows[0]![n]!)]))
    const charts = document.querySelectorAll('figure.chart svg').map((chart) => chart.getAttribute('aria-label'))
    return { names, rows, today, charts }
  }
  board.clock.advance(61_000)
  const before = await figures()
  expect(before.rows).toHaveLength(30)
  expect(before.charts).toHaveLength(before.names.length)

  const employer = await board.employer()
  await board.activeJob(employer)
  await board.candidate()
  await makeDelivery(board)
  await board.database.inTx(async (tx) => {
    const { rows } = await sql<{ id: string }>`
      update webhook_delivery set state = 'exhausted', due_at = null where id = (
        select id from webhook_delivery order by id desc limit 1) returning id`.execute(tx)
    expect(rows).toHaveLength(1)
  })
  await runTask(board, 'settled-deliveries')
  expect((await figures()).today).toEqual(before.today)

  board.clock.advance(61_000)
  const after = await figures()
  const grown = (name: string) => after.today[name]! - (before.today[name] ?? 0)
  expect(after.names.map((name) => [name, grown(name)])).toEqual([
    ['Jobs posted', 1],
    ['Applications', 0],
    ['New candidates', 1],
    ['New employers', 2],
    ['Revenue in USD', 199],
    ['Webhook deliveries', 0],
    ['Failed webhook deliveries', 1],
  ])
  expect(after.charts).toContainEqual(expect.stringMatching(/^Revenue in USD by day over the last 30 days: [\d.]+ USD/))
})

test('the storage page shows the size of each table and the retention of its rows', async () => {
  await board.database.inTx(async (tx) => {
    await sql`analyze job`.execute(tx)
    await sql`truncate application_draft`.execute(tx)
  })
  const { document, seen } = await operator.get('/desk/storage')
  expect(seen).toMatch(/The database tables take up [\d.]+ MB on disk/)
  const rows = document
    .querySelectorAll('tbody tr')
    .map((row) => row.querySelectorAll('td').map((cell) => cell.textContent.trim()))
  const rowOf = (name: string) => rows.find(([first]) => first === name)?.slice(1)
  const size = expect.stringMatching(/^[\d,]+\.\d MB$/)
  expect(rowOf('job')).toEqual([expect.stringMatching(/^[\d,]+$/), size, size, 'No limit'])
  expect(rowOf('event')?.at(-1)).toBe('30 days')
  expect(rowOf('setting')?.at(-1)).toBe('–')
  expect(rowOf('application_draft')?.[0]).toBe('–')
})

describe('the backlog', () => {
  const rowOf = async (name: string) => {
    const { document } = await operator.get('/desk/queues')
    const row = document.querySelectorAll('tbody tr').find((one) => one.querySelector('b')?.textContent === name)!
    return row.textContent.replace(/\s+/g, ' ').trim()
  }
  const write = () => runTask(board, 'task-health')

  test('shows whether a worker is running', async () => {
    expect((await operator.get('/desk/queues')).seen).toContain('No process is running background tasks.')
    expect(await rowOf('Emails')).toContain('Not running')
    other.clock.time = board.clock.time
    // The tasks do not run in the process that serves the page.
    await runTask(other, 'mail')
    await runTask(other, 'task-health')
    expect(await rowOf('Emails')).toContain('Up to date')
    expect((await operator.get('/desk/queues')).seen).not.toContain('No process is running')
    board.clock.advance(3 * 60_000)
    other.clock.advance(3 * 60_000)
    expect(await rowOf('Emails')).toContain('Not running')
    await runTask(board, 'mail')
    await write()
    expect(await rowOf('Emails')).toContain('Up to date')
  })

  test('shows the age of the oldest pending work, and the error of a failed round', async () => {
    const employer = await board.employer()
    await board.activeJob(employer, { expires_at: new Date(board.clock.time + 60_000).toISOString() })
    board.clock.advance(60_000 + 20 * 60_000)
    await runTask(board, 'mail')
    await write()
    await board.database.inTx((tx) =>
      tx
        .insertInto('task_health')
        .values({ task: 'job-expiry', done_at: board.clock.now(), failed_at: null, error: null })
        .onConflict((conflict) => conflict.column('task').doUpdateSet({ done_at: board.clock.now() }))
        .execute(),
    )
    expect(await rowOf('Expired jobs')).toMatch(/Late.*20 minutes/)
    expect((await operator.get('/desk')).seen).toContain('Expired jobs: late')
    board.clock.advance(1_000)
    await board.database.inTx((tx) =>
      tx
        .updateTable('task_health')
        .set({ failed_at: board.clock.now(), error: 'relation <job> is locked' })
        .where('task', '=', 'job-expiry')
        .execute(),
    )
    expect(await rowOf('Expired jobs')).toMatch(/relation <job> is locked.*Failing/)
    board.clock.advance(1_000)
    await runTask(board, 'job-expiry')
    await write()
    expect(await rowOf('Expired jobs')).toMatch(/Up to date.*0/)
  })

  test('counts failed deliveries and failed emails', async () => {
    const now = board.clock.now()
    const { account } = await makeDelivery(board)
    await board.database.inTx(async (tx) => {
      await tx.updateTable('webhook_delivery').set({ state: 'exhausted', settled_at: now, due_at: null }).execute()
      const mail = { id: 'mail_1', kind: 'sign-in', account_id: account.id, subject_id: account.id, details: '{}' }
      const failed = { state: 'failed', due_at: now, created_at: now, settled_at: now } as const
      await tx
        .insertInto('mail')
        .values({ ...mail, ...failed })
        .execute()
    })
    expect(await rowOf('Webhooks')).toMatch(/\d failed in the last day/)
    expect(await rowOf('Emails')).toContain('1 refused in the last day')
  })
})
