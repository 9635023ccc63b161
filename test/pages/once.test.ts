/** Forms that are submitted twice, by a double click or after going back. */
import { describe, expect, test } from 'vitest'
import { type Account, expectStatus, useBoard } from '../support/board.ts'
import { type Fields, type Page, type Visitor, visitor } from '../support/pages.ts'
import { entitlementsOf, payUnused } from '../support/payments.ts'
import { hookUrl, makeWebhook } from '../support/webhooks.ts'

const board = useBoard()

const job = { title: 'Gearbox tester', location: 'Turin, Italy', category: 'quality-testing', description: 'Tests.' }

interface Making {
  owner: Account
  at: string
  action: string
  fields: Fields
  /** Returns the created resources. */
  list: () => Promise<unknown[]>
}

const listed =
  (path: string, { key }: Account) =>
  async () =>
    expectStatus(await board.get(path, key), 200).body.data

const makings: Record<string, () => Promise<Making>> = {
  'a job': async () => {
    const owner = await board.employer()
    const list = listed('/v1/employers/jobs', owner)
    return { owner, at: '/employer/jobs/new', action: '/employer/jobs/new', fields: job, list }
  },
  'a job copy': async () => {
    const owner = await board.employer()
    const { id } = await board.job(owner)
    const all = listed('/v1/employers/jobs', owner)
    const list = async () => (await all()).filter((each: { id: string }) => each.id !== id)
    return { owner, at: `/employer/jobs/${id}`, action: `/employer/jobs/${id}/duplicate`, fields: {}, list }
  },
  'a webhook': async () => {
    const owner = await board.employer()
    const fields = { url: hookUrl(), 'events[]': ['job.created'], description: 'Ours' }
    const list = listed('/v1/webhooks', owner)
    return { owner, at: '/console/webhooks/new', action: '/console/webhooks', fields, list }
  },
  'an API key': async () => {
    const owner = await board.employer()
    const all = listed('/v1/api-keys', owner)
    const list = async () => (await all()).filter(({ name }: { name: string }) => name === 'Nightly')
    const fields = { name: 'Nightly', 'scopes[]': ['jobs:read'] }
    return { owner, at: '/console/keys/new', action: '/console/keys', fields, list }
  },
  'a job alert': async () => {
    const owner = await board.candidate()
    const list = listed('/v1/candidates/job-alerts', owner)
    return { owner, at: '/me/alerts/new?search=van', action: '/me/alerts/new', fields: {}, list }
  },
  'a payment': async () => {
    const owner = await board.employer()
    const { id } = await board.job(owner)
    const at = `/employer/jobs/${id}/pay`
    return { owner, at, action: at, fields: {}, list: listed('/v1/employers/payments', owner) }
  },
}

const secretOf = (page: Page) => page.document.querySelector('.panel pre')?.textContent

/** Returns the properties of a form's response that the test compares. */
const outcome = ({ status, path }: Page) => [status, path]

describe.each(Object.keys(makings))('%s', (what) => {
  test('is created once by two simultaneous clicks', async () => {
    const { owner, at, action, fields, list } = await makings[what]!()
    const me = await visitor(board, owner)
    const form = await me.get(at)
    const [one, two] = await Promise.all([me.submit(form, action, fields), me.submit(form, action, fields)])
    expect(one.status).toBeLessThan(300)
    expect(outcome(two)).toEqual(outcome(one))
    // Both responses contain the secret, because the browser may show either.
    expect(secretOf(two)).toBe(secretOf(one))
    expect(await list()).toHaveLength(1)
  })

  test('is created once when the form is sent again after going back', async () => {
    const { owner, at, action, fields, list } = await makings[what]!()
    const me = await visitor(board, owner)
    const form = await me.get(at)
    const one = await me.submit(form, action, fields)
    const two = await me.submit(form, action, fields)
    expect(outcome(two)).toEqual(outcome(one))
    expect(secretOf(two)).toBe(secretOf(one))
    expect(await list()).toHaveLength(1)
  })

  test('is created again from a reloaded page', async () => {
    const { owner, at, action, fields, list } = await makings[what]!()
    const me = await visitor(board, owner)
    for (const _ of [1, 2]) expect((await me.submit(await me.get(at), action, fields)).status).toBeLessThan(300)
    expect(await list()).toHaveLength(2)
  })
})

async function sentJob(): Promise<{ me: Visitor; owner: Account; form: Page }> {
  const owner = await board.employer()
  const me = await visitor(board, owner)
  const form = await me.get('/employer/jobs/new')
  await me.submit(form, '/employer/jobs/new', job)
  return { me, owner, form }
}

test('a form that was changed after going back asks for confirmation before it creates another resource', async () => {
  const { me, owner, form } = await sentJob()
  const again = await me.submit(form, '/employer/jobs/new', { ...job, title: 'Another' })
  expect([again.status, again.seen.includes('You already submitted this form')]).toEqual([422, true])
  const list = listed('/v1/employers/jobs', owner)
  expect(await list()).toHaveLength(1)
  await me.submit(again, '/employer/jobs/new')
  expect((await list()).map(({ title }: { title: string }) => title).sort()).toEqual(['Another', 'Gearbox tester'])
})

test('a form with errors may be sent again', async () => {
  const owner = await board.employer()
  const me = await visitor(board, owner)
  const form = await me.get('/employer/jobs/new')
  expect((await me.submit(form, '/employer/jobs/new', { ...job, title: '' })).status).toBe(422)
  expect((await me.submit(form, '/employer/jobs/new', job)).status).toBe(200)
  expect(await listed('/v1/employers/jobs', owner)()).toHaveLength(1)
})

test('a form key does not reveal the created secret to other accounts, or to other sessions of the same account', async () => {
  const owner = await board.employer()
  const [me, myPhone, other] = [
    await visitor(board, owner),
    await visitor(board, { key: await board.keyWith(owner, ['profile:read', 'profile:write', 'jobs:read']) }),
    await visitor(board, await board.employer()),
  ]
  const form = await me.get('/console/keys/new')
  const _once = form.document.querySelector('[name="_once"]')!.getAttribute('value')!
  const fields = { name: 'Nightly', 'scopes[]': ['jobs:read'], _once }
  const secret = secretOf(await me.submit(form, '/console/keys', fields))
  for (const who of [myPhone, other]) {
    const page = await who.submit(await who.get('/console/keys/new'), '/console/keys', fields)
    expect([page.status, secretOf(page) === secret]).toEqual([201, false])
  }
})

test('two clicks rotate a secret only once, and both responses contain the new secret', async () => {
  const owner = await board.employer()
  const { id } = await makeWebhook(board, owner)
  const me = await visitor(board, owner)
  const form = await me.get(`/console/webhooks/${id}/secret`)
  const action = `/console/webhooks/${id}/rotate-secret`
  const [one, two] = await Promise.all([me.submit(form, action), me.submit(form, action)])
  expect([one.status, two.status, secretOf(one) === secretOf(two)]).toEqual([200, 200, true])
})

test('two clicks post, close or reopen a job only once', async () => {
  const owner = await board.employer()
  const { id } = await board.job(owner)
  await payUnused(board, owner, id)
  const me = await visitor(board, owner)
  for (const [action, told] of [
    ['activate', 'Job activated. It is on the board now.'],
    ['close', 'Job closed'],
    ['reopen', 'Job reopened. It is on the board again.'],
  ]) {
    const form = await me.get(`/employer/jobs/${id}`)
    const path = `/employer/jobs/${id}/${action}`
    const pages = await Promise.all([me.submit(form, path), me.submit(form, path)])
    expect(pages.map(({ status }) => status)).toEqual([200, 200])
    expect(pages.some(({ seen }) => seen.includes(told!))).toBe(true)
  }
  expect(await entitlementsOf(board, id)).toHaveLength(1)
})
