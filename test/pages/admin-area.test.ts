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

  test('are shown with the reason if they failed, and retried one by one or all at once', async () => {
    expect((await operator.get(path)).seen).toContain('No failed emails')
    const [first] = [await failedEmail(board), await failedEmail(board), await failedEmail(board, { state: 'unknown' })]
    const page = await operator.get(path)
    expect(page.seen).toContain('550 No such mailbox')
    expect(page.seen).toContain('May have arrived')
    const one = await operator.submit(page, `${path}/${first}/retry`)
    expect(one.seen).toContain('Email queued for retry.')
    const all = await operator.submit(one, `${path}/retry`)
    expect(all.seen).toContain('One email queued for retry.')
    expect((await operator.get(`${path}?state=failed`)).seen).toContain('No failed emails')
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
