/** The admin area's blocks, emails, tasks and sessions, without JavaScript. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import { failedEmail } from '../support/mails.ts'
import { faultOf, type Page, type Visitor, visitor } from '../support/pages.ts'
import { runTask } from '../support/tasks.ts'

const board = useBoard()
let operator: Visitor
let reader: Visitor

beforeAll(async () => {
  operator = await visitor(board, { key: ADMIN_KEY })
  const key = await board.keyWith({ id: '', key: ADMIN_KEY }, ['admin:read'])
  reader = await visitor(board, { key })
})

const actionsIn = (page: Page) =>
  page.document.querySelectorAll('form[method="post"]').map((form) => form.getAttribute('action'))

describe('blocks', () => {
  const path = '/desk/blocks'

  test('are created, shown and deleted', async () => {
    const empty = await operator.get(path)
    expect(empty.seen).toContain('Nothing is blocked')
    const form = { kind: 'email_domain', value: 'Spam.example', reason: 'Sends <b>spam</b>' }
    const created = await operator.submit(empty, path, form)
    expect(created.seen).toContain('spam.example blocked.')
    expect(created.seen).toContain('Sends <b>spam</b>')
    const email = 'a@spam.example'
    expect((await board.post('/v1/employers', undefined, { name: 'Spam', email })).body.code).toBe('email_blocked')
    const action = actionsIn(created).find((one) => one?.endsWith('/delete'))!
    expect((await operator.submit(created, action)).seen).toContain('Block deleted.')
    expect((await board.post('/v1/employers', undefined, { name: 'Spam', email })).status).toBe(201)
  })

  test('show errors next to the field, and keep the input', async () => {
    const page = await operator.get(path)
    const answer = await operator.submit(page, path, { kind: 'network', value: 'nonsense', reason: 'Scrapes' })
    expect([answer.status, faultOf(answer, 'value')]).toEqual([
      422,
      'Enter an IP address, or a range such as 203.0.113.0/24.',
    ])
    expect(answer.document.querySelector('input[name="reason"]')!.getAttribute('value')).toBe('Scrapes')
    const own = await operator.submit(page, path, { kind: 'network', value: '127.0.0.0/8', reason: 'Slip' })
    expect([own.status, own.seen.includes('your own IP address')]).toEqual([409, true])
  })

  test('prevent registration with the address, and the form shows an error', async () => {
    expectStatus(
      await board.post('/v1/admin/blocks', ADMIN_KEY, { kind: 'address', value: 'no@entry.example', reason: 'Spam' }),
      201,
    )
    const guest = await visitor(board)
    const page = await guest.get('/register/candidate')
    const form = { first_name: 'No', last_name: 'Entry', email: 'no@entry.example' }
    const answer = await guest.submit(page, '/register/candidate', form)
    expect([answer.status, answer.seen.includes('This email address cannot be used here.')]).toEqual([403, true])
  })
})

describe('emails', () => {
  const path = '/desk/emails'

  const idsIn = (page: Page) =>
    page.document.querySelectorAll('td a').map((link) => link.getAttribute('href')!.slice(path.length + 1))

  test('are found by state, type and the beginning of the address', async () => {
    expect((await operator.get(`${path}?to=nobody@`)).seen).toContain('No emails found')
    const failed = await failedEmail(board)
    board.clock.advance(1_000)
    const dropped = await failedEmail(board, { state: 'dropped', kind: 'job-alert', last_error: 'stopped' })
    board.clock.advance(1_000)
    const moved = await failedEmail(board, {
      state: 'sent',
      last_error: null,
      recipient_key: 'former@candidate.example',
    })
    const all = await operator.get(path)
    expect(idsIn(all)).toEqual([moved, dropped, failed])
    expect(all.seen).toContain('550 No such mailbox')
    expect(all.seen).toContain('The recipient stopped all emails to this address.')
    expect(idsIn(await operator.get(`${path}?state=failed`))).toEqual([failed])
    expect(idsIn(await operator.get(`${path}?kind=job-alert&state=`))).toEqual([dropped])
    expect(idsIn(await operator.get(`${path}?to=+FORMER@`))).toEqual([moved])
    expect(idsIn(await operator.get(`${path}?to=former@x`))).toEqual([])
    const { to } = (await board.get('/v1/admin/emails?state=failed', ADMIN_KEY)).body.data[0]
    expect(idsIn(await operator.get(`${path}?to=${to.slice(0, -3)}`))).toEqual([failed])
    expect((await operator.get(`${path}?state=lost`)).status).toBe(400)
  })

  test('are sent again one by one, even if they were sent, or all failed ones at once', async () => {
    const [failed, unknown] = [await failedEmail(board), await failedEmail(board, { state: 'unknown' })]
    const sent = await failedEmail(board, { state: 'sent', last_error: null })
    const doubtful = await operator.get(`${path}/${unknown}`)
    expect(doubtful.seen).toContain('it may arrive twice')
    const one = await operator.submit(doubtful, `${path}/${unknown}/retry`)
    expect([one.path, one.seen.includes('It will be sent within seconds.')]).toEqual([`${path}/${unknown}`, true])
    expect(actionsIn(one)).not.toContain(`${path}/${unknown}/retry`)
    const former = await operator.get(`${path}/${sent}`)
    const again = await operator.submit(former, `${path}/${sent}/retry`)
    expect(again.path).not.toBe(`${path}/${sent}`)
    expect(again.document.querySelector(`a[href="${path}/${sent}"]`)).not.toBeNull()
    expect((await operator.get(`${path}/${sent}`)).document.querySelector(`a[href="${again.path}"]`)).not.toBeNull()
    // The form of another visit is another order, which waits until the first one is done.
    const early = await operator.submit(await operator.get(`${path}/${sent}`), `${path}/${sent}/retry`)
    expect(early.status).toBe(409)
    const list = await operator.get(`${path}?state=failed`)
    expect(idsIn(list)).toContain(failed)
    expect((await operator.submit(list, `${path}/retry`)).seen).toContain('queued again.')
    expect((await operator.get(`${path}?state=failed`)).seen).toContain('No emails found')
  })

  test('of every kind are previewed in each language and theme, in a frame that can do nothing', async () => {
    const page = await operator.get(`${path}/previews`)
    expect(page.headers.get('content-security-policy')).toContain("frame-src 'self'")
    const samples = page.document
      .querySelectorAll('select[name="email"] option')
      .map((one) => one.getAttribute('value')!)
    const kinds = new Set(samples.map((sample) => sample.split('.')[0]))
    const { document } = await operator.get(path)
    const named = document.querySelectorAll('select[name="kind"] option').map((one) => one.getAttribute('value')!)
    expect([...kinds].sort()).toEqual(named.filter((kind) => kind !== '').sort())
    for (const language of ['en', 'de', 'fr', 'es', 'ja']) {
      for (const sample of samples) {
        const shown = await operator.get(`${path}/previews?email=${sample}&language=${language}`)
        expect(shown.document.querySelector('pre')!.textContent).toContain('/unsubscribe/sample')
        const frames = shown.document.querySelectorAll('iframe[sandbox=""]').map((one) => one.getAttribute('src')!)
        for (const [n, src] of frames.entries()) {
          const { headers, text } = await operator.send('GET', src.replaceAll('&amp;', '&'))
          expect(headers.get('content-security-policy')).toMatch(
            /^sandbox; default-src 'none';.* frame-ancestors 'self'$/,
          )
          expect([text.includes(`<html lang="${language}">`), text.includes('#121416')]).toEqual([true, n === 1])
        }
        expect(frames).toHaveLength(2)
      }
    }
    const neutral = await operator.get(`${path}/previews?email=application-received.0&address=unconfirmed`)
    expect(neutral.seen).toContain('You have a new application for one of your jobs.')
    expect(neutral.seen).not.toContain('Amara Okafor')
  })
})

describe('tasks', () => {
  test('run on demand, and show the result', async () => {
    const page = await operator.get('/desk/tasks')
    const asked = await operator.submit(page, '/desk/tasks/mail-purge/run')
    expect(asked.seen).toContain('mail-purge will run within seconds')
    expect(asked.seen).toContain('Waiting')
    await runTask(board, 'task-runs')
    const done = await operator.get('/desk/tasks')
    expect(done.seen).toContain('Done')
    expect(done.seen).not.toContain('Waiting')
  })
})

describe('an account', () => {
  test('shows its sessions, which end one by one or all at once', async () => {
    const employer = await board.employer()
    const at = `/desk/accounts/${employer.id}`
    expect((await operator.get(at)).seen).toContain('Nobody is signed in to this account.')
    const [first, second] = [await visitor(board, employer), await visitor(board, employer)]
    const page = await operator.get(at)
    const one = actionsIn(page).find((action) => /sessions\/ses_\w+\/end$/.test(action ?? ''))!
    const ended = await operator.submit(page, one)
    expect(ended.seen).toContain('Session ended.')
    const paths = await Promise.all([first, second].map(async (inside) => (await inside.get('/account')).path))
    expect(paths.filter((one) => one === '/account')).toHaveLength(1)
    expect((await operator.submit(ended, `${at}/sessions/end`)).seen).toContain('Sessions ended.')
    for (const inside of [first, second]) expect((await inside.get('/account')).path).toContain('/sign-in')
  })

  test('is deleted after a confirmation', async () => {
    const employer = await board.employer({ name: 'Deletable' })
    const { id } = await board.activeJob(employer)
    const at = `/desk/accounts/${employer.id}`
    const page = await operator.get(at)
    expect(page.document.querySelector(`details form[action="${at}/delete"]`)).not.toBeNull()
    const deleted = await operator.submit(page, `${at}/delete`)
    expect([deleted.path, deleted.seen.includes('Account deleted.')]).toEqual(['/desk/accounts', true])
    expect((await operator.get(at)).status).toBe(404)
    expect((await (await visitor(board)).get(`/jobs/${id}`)).status).toBe(404)
    expect((await operator.get('/desk')).seen).toContain('Deleted')
  })
})

test('the pages offer no actions to a read-only key', async () => {
  const employer = await board.employer()
  await visitor(board, employer)
  await failedEmail(board)
  for (const path of ['/desk/blocks', '/desk/emails', '/desk/tasks', `/desk/accounts/${employer.id}`]) {
    const page = await reader.get(path)
    expect(page.status, path).toBe(200)
    expect(
      actionsIn(page).filter((action) => action !== '/sign-out'),
      path,
    ).toEqual([])
  }
})
