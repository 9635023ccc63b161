/** Concurrent edits: users cannot overwrite changes that they have not seen. */
import { describe, expect, test } from 'vitest'
import { makeAlert } from '../support/alerts.ts'
import { apply } from '../support/applications.ts'
import { type Account, useBoard } from '../support/board.ts'
import { type Fields, visitor } from '../support/pages.ts'
import { makeWebhook } from '../support/webhooks.ts'

const board = useBoard()

interface Editor {
  owner: Account
  /** The path of the page with the form, and the form's action. */
  at: string
  action: string
  /** The API path of the resource, and the body of a concurrent change. */
  resource: string
  change: Record<string, unknown>
  /** The user's input, and the expected fields after saving it. */
  typed: Fields
  saved: Record<string, unknown>
}

const editors: Record<string, () => Promise<Editor>> = {
  'a job': async () => {
    const owner = await board.employer()
    const { id } = await board.job(owner)
    const at = `/employer/jobs/${id}/edit`
    const change = { requirements: ['A license'] }
    return {
      ...{ owner, at, action: at, resource: `/v1/jobs/${id}`, change },
      typed: { title: 'Typed here' },
      saved: { title: 'Typed here', requirements: [] },
    }
  },
  'a company profile': async () => {
    const at = '/employer/profile'
    return {
      ...{ owner: await board.employer(), at, action: at, resource: '/v1/employers/profile' },
      change: { website: 'https://other.example/' },
      typed: { description: 'Typed here' },
      saved: { description: 'Typed here', website: null },
    }
  },
  'a candidate profile': async () => {
    const at = '/me/profile'
    return {
      ...{ owner: await board.candidate(), at, action: at, resource: '/v1/candidates/profile' },
      change: { skills: ['Rust'] },
      typed: { headline: 'Typed here' },
      saved: { headline: 'Typed here', skills: [] },
    }
  },
  'a job alert': async () => {
    const owner = await board.candidate()
    const { id } = await makeAlert(board, owner)
    const at = `/me/alerts/${id}`
    return {
      ...{ owner, at, action: at, resource: `/v1/candidates/job-alerts/${id}` },
      change: { criteria: { search: 'truck' } },
      typed: { name: 'Typed here' },
      saved: { name: 'Typed here', criteria: { search: 'van' } },
    }
  },
  'a webhook': async () => {
    const owner = await board.employer()
    const { id } = await makeWebhook(board, owner)
    return {
      ...{ owner, at: `/console/webhooks/${id}/edit`, action: `/console/webhooks/${id}` },
      ...{ resource: `/v1/webhooks/${id}`, change: { events: ['job.updated'] } },
      typed: { description: 'Typed here' },
      saved: { description: 'Typed here', events: ['job.created'] },
    }
  },
}

describe.each(Object.keys(editors))('the editor of %s', (what) => {
  test('shows the form again after a concurrent change, and saves when the form is sent again', async () => {
    const { owner, at, action, resource, change, typed, saved } = await editors[what]!()
    const read = async () => (await board.get(resource, owner.key)).body.data
    const me = await visitor(board, owner)
    const form = await me.get(at)
    expect((await board.put(resource, owner.key, change)).status).toBe(200)
    const again = await me.submit(form, action, typed)
    expect(again.status).toBe(412)
    expect(again.document.querySelector('.faults')!.textContent).toContain('changed this in the meantime')
    expect(await read()).toMatchObject(change)
    // The form still contains the input, and now refers to the new version.
    const done = await me.submit(again, action)
    expect([done.status, done.path === action || done.path === action.replace(/\/edit$/, '')]).toEqual([200, true])
    expect(await read()).toMatchObject(saved)
  })

  test('saves without a concurrent change, even twice in a row', async () => {
    const { owner, at, action, resource, typed } = await editors[what]!()
    const me = await visitor(board, owner)
    for (const _ of [1, 2]) expect((await me.submit(await me.get(at), action, typed)).status).toBe(200)
    const [[name, text]] = Object.entries(typed) as [[string, string]]
    expect((await board.get(resource, owner.key)).body.data[name]).toBe(text)
  })

  test('responds in the same way to both clicks of a double click', async () => {
    const { owner, at, action, typed } = await editors[what]!()
    const me = await visitor(board, owner)
    const form = await me.get(at)
    const [one, two] = await Promise.all([me.submit(form, action, typed), me.submit(form, action, typed)])
    expect([one.status, two.status, one.path === two.path]).toEqual([200, 200, true])
  })
})

test("an employer who changes an application's status learns that a colleague changed the status first", async () => {
  const employer = await board.employer()
  const { id: jobId } = await board.activeJob(employer)
  const { id } = await apply(board, await board.candidate(), jobId)
  const at = `/employer/applications/${id}`
  const me = await visitor(board, employer)
  const form = await me.get(at)
  await board.put(`/v1/employers/applications/${id}`, employer.key, { status: 'contacted' })
  const again = await me.submit(form, at, { status: 'rejected', reason: 'No license' })
  expect([again.status, again.seen.includes('changed this in the meantime')]).toEqual([412, true])
  expect((await me.submit(again, at)).seen).toContain('moved to Not selected.')
})

test('an unrelated change, such as pausing a webhook, causes no conflict', async () => {
  const owner = await board.employer()
  const { id } = await makeWebhook(board, owner)
  const me = await visitor(board, owner)
  const form = await me.get(`/console/webhooks/${id}/edit`)
  await board.put(`/v1/webhooks/${id}`, owner.key, { status: 'paused' })
  expect((await me.submit(form, `/console/webhooks/${id}`, { description: 'Ours' })).status).toBe(200)
  expect((await board.get(`/v1/webhooks/${id}`, owner.key)).body.data).toMatchObject({
    status: 'paused',
    description: 'Ours',
  })
})
