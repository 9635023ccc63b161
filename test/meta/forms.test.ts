/**
 * Submits each form in `forms` twice, and checks that it takes effect only once. `forms` and `unrepeatable` together
 * list every form of the website.
 */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { makeAlert } from '../support/alerts.ts'
import { world } from '../support/applications.ts'
import { type Account, ADMIN_KEY, type Board, expectStatus, useBoard } from '../support/board.ts'
import { claim, companyOf } from '../support/claims.ts'
import { pdf } from '../support/documents.ts'
import { suspectedPair } from '../support/duplicates.ts'
import { feed, heldRun, makeFeed, posting } from '../support/feeds.ts'
import { failedEmail } from '../support/mails.ts'
import { invite, inviteStaff, joined } from '../support/members.ts'
import { type Fields, type Page, type Visitor, visitor } from '../support/pages.ts'
import { storedPasskey } from '../support/passkeys.ts'
import { begin, payUnused } from '../support/payments.ts'
import { png } from '../support/pictures.ts'
import { posts } from '../support/posts.ts'
import { report, uphold } from '../support/reports.ts'
import { upload } from '../support/resumes.ts'
import { hookUrl, makeDelivery, makeWebhook } from '../support/webhooks.ts'
import { wholeDatabase } from '../support/whole-database.ts'

const board = useBoard()

/** A form on the page `at`. Without `action`, the form posts to its page's path. */
interface Sending {
  by: Pick<Account, 'key'>
  /** Default: a visitor who signs in with the key. */
  me?: Visitor
  at: string
  action?: string
  fields?: Fields
}

const admin = { key: ADMIN_KEY }
const logo = () => new File([new Uint8Array(png(64, 32))], 'logo.png', { type: 'image/png' })
const cv = () => new File([new Uint8Array(pdf('Engineer'))], 'cv.pdf', { type: 'application/pdf' })

/** Forms that cannot have a second effect, by reason. */
const unrepeatable: Record<string, string> = {
  'visitors have no account, and the service registers an email address only once':
    'POST /sign-in/link | POST /sign-in/link/use | POST /sign-in/key | POST /register/candidate | POST /register/employer',
  'the form starts a session, and an invitation ends': 'POST /invitation/accept | POST /account/choose',
  'a challenge changes nothing, and is valid once':
    'POST /sign-in/passkey | POST /sign-in/passkey/options | POST /account/passkeys | POST /account/passkeys/options',
  'the session ends':
    'POST /sign-out | POST /account/sign-out-everywhere | POST /account/access/end | POST /me/data/erase | POST /employer/profile/close',
  'the rate limit refuses a second test of the webhook': 'POST /console/webhooks/:id/test',
  'it changes nothing': 'POST /employer/jobs/preview',
}

async function ofMember(action: string, fields: Record<string, string> = {}, isStaff = false): Promise<Sending> {
  const by = isStaff ? { id: '', ...admin } : await board.employer()
  const { id } = isStaff ? await inviteStaff(board) : await invite(board, by)
  if (action === 'role') {
    const change = { joined_at: board.clock.now() }
    await board.database.inTx((tx) => tx.updateTable('member').set(change).where('id', '=', id).execute())
  }
  const at = isStaff ? '/desk/staff' : '/employer/team'
  return { by, at, action: `${at}/${id}/${action}`, fields }
}

async function ofPasskey(): Promise<Sending> {
  const by = await board.candidate()
  const id = await storedPasskey(board, by)
  return { by, at: '/account/passkeys', action: `/account/passkeys/${id}/remove` }
}

let fed = 0
/** Returns the ID of a company that a feed created. */
async function fedCompany(): Promise<string> {
  const { id } = await makeFeed(board)
  const company = `Fed ${++fed}`
  await feed(board, id, [posting('1', { company, company_website: `https://fed-${fed}.example` })])
  const { data } = (await board.get(`/v1/employers?name=${encodeURIComponent(company)}`, ADMIN_KEY)).body
  return data[0].id
}

async function ofOwnJob(action: string, make: 'job' | 'activeJob' = 'job'): Promise<Sending> {
  const by = await board.employer()
  const { id } = await board[make](by)
  return { by, at: `/employer/jobs/${id}`, action: `/employer/jobs/${id}/${action}` }
}

async function ofApplication() {
  const { application, employer } = await world(board)
  return { by: employer, at: `/employer/applications/${application.id}` }
}

async function ofWebhook(page: string, action = page): Promise<Sending> {
  const by = await board.employer()
  const at = `/console/webhooks/${(await makeWebhook(board, by)).id}`
  return { by, at: `${at}${page}`, action: `${at}${action}` }
}

async function ofFeed(page: string, action = page): Promise<Sending> {
  const by = await board.employer()
  const at = `/console/feeds/${(await makeFeed(board, { url: 'https://jobs.example/feed' }, by.key)).id}`
  return { by, at: `${at}${page}`, action: `${at}${action}` }
}

async function ofHeldRun(verb: 'approve' | 'discard'): Promise<Sending> {
  const at = (await heldRun(board)).replace('/v1', '/console')
  return { by: admin, at, action: `${at}/${verb}` }
}

async function ofAccount(action: string): Promise<Sending> {
  const at = `/desk/accounts/${(await board.employer()).id}`
  return { by: admin, at, action: `${at}/${action}` }
}

async function ofReport(action: string, made: Promise<{ id: string }> = report(board)): Promise<Sending> {
  const at = `/desk/reports/${(await made).id}`
  return { by: admin, at, action: `${at}/${action}` }
}

async function ofAlert(action: string, overrides = {}): Promise<Sending> {
  const by = await board.candidate()
  const { id } = await makeAlert(board, by, overrides)
  return { by, at: `/me/alerts/${id}`, action: `/me/alerts/${id}${action}` }
}

/** Returns a page's first form action that matches a pattern. */
async function actionOn(by: Pick<Account, 'key'>, at: string, pattern: RegExp): Promise<string> {
  const { document } = await (await visitor(board, by)).get(at)
  const actions = document.querySelectorAll('form[method="post"]').map((form) => form.getAttribute('action')!)
  return actions.find((action) => pattern.test(action))!
}

const forms: Record<string, () => Promise<Sending>> = {
  async 'POST /jobs/:id/report'() {
    const { id } = await board.activeJob(await board.employer())
    return { by: await board.candidate(), at: `/jobs/${id}/report`, fields: { reason: 'spam' } }
  },
  async 'POST /jobs/:id/save'() {
    const { id } = await board.activeJob(await board.employer())
    return { by: await board.candidate(), at: `/jobs/${id}`, action: `/jobs/${id}/save` }
  },
  async 'POST /jobs/:id/unsave'() {
    const by = await board.candidate()
    const { id } = await board.activeJob(await board.employer())
    expectStatus(await board.post(`/v1/candidates/jobs/${id}/save`, by.key, {}), 201)
    return { by, at: `/jobs/${id}`, action: `/jobs/${id}/unsave` }
  },
  async 'POST /jobs/:id/apply'() {
    const { id } = await board.activeJob(await board.employer())
    const fields = { cover_letter: 'I build batteries.', _file: cv() }
    return { by: await board.candidate(), at: `/jobs/${id}/apply`, fields }
  },
  async 'POST /jobs/:id/apply/discard'() {
    const by = await board.candidate()
    const { id } = await board.activeJob(await board.employer())
    expectStatus(await board.post(`/v1/candidates/jobs/${id}/draft`, by.key, { cover_letter: 'Hello' }), 201)
    return { by, at: `/jobs/${id}/apply`, action: `/jobs/${id}/apply/discard` }
  },
  async 'POST /me/applications/:id/withdraw'() {
    const { application, candidate } = await world(board)
    const at = `/me/applications/${application.id}`
    return { by: candidate, at, action: `${at}/withdraw` }
  },
  'POST /me/profile': async () => ({ by: await board.candidate(), at: '/me/profile', fields: { headline: 'Welder' } }),
  'POST /me/resumes': async () => ({ by: await board.candidate(), at: '/me/resumes', fields: { file: cv() } }),
  async 'POST /me/resumes/:id/delete'() {
    const by = await board.candidate()
    const { id } = await upload(board, by)
    return { by, at: '/me/resumes', action: `/me/resumes/${id}/delete` }
  },
  'POST /me/alerts/new': async () => ({
    by: await board.candidate(),
    at: '/me/alerts/new?search=van',
    action: '/me/alerts/new',
  }),
  'POST /me/alerts/:id': () => ofAlert(''),
  async 'POST /me/alerts/:id/pause'() {
    return { ...(await ofAlert('/pause')), at: '/me/alerts' }
  },
  async 'POST /me/alerts/:id/resume'() {
    return { ...(await ofAlert('/resume', { is_active: false })), at: '/me/alerts' }
  },
  async 'POST /me/alerts/:id/delete'() {
    return { ...(await ofAlert('/delete')), at: '/me/alerts' }
  },
  async 'POST /employer/jobs/new'() {
    const fields = { title: 'Tester', location: 'Turin, Italy', category: 'quality-testing', description: 'Tests.' }
    return { by: await board.employer(), at: '/employer/jobs/new', fields }
  },
  async 'POST /employer/jobs/:id/edit'() {
    const { by, action } = await ofOwnJob('edit')
    return { by, at: action!, fields: { title: 'Another title' } }
  },
  async 'POST /employer/jobs/:id/activate'() {
    const sending = await ofOwnJob('activate')
    await payUnused(board, sending.by as Account, sending.at.split('/').at(-1)!)
    return sending
  },
  'POST /employer/jobs/:id/close': () => ofOwnJob('close', 'activeJob'),
  async 'POST /employer/jobs/:id/reopen'() {
    const sending = await ofOwnJob('reopen', 'activeJob')
    expectStatus(await board.post(`${sending.at.replace('/employer', '/v1')}/close`, sending.by.key, {}), 200)
    return sending
  },
  'POST /employer/jobs/:id/duplicate': () => ofOwnJob('duplicate'),
  async 'POST /employer/jobs/:id/delete'() {
    const { by, action } = await ofOwnJob('delete')
    return { by, at: action! }
  },
  async 'POST /employer/jobs/:id/pay'() {
    const { by, action } = await ofOwnJob('pay')
    return { by, at: action! }
  },
  async 'POST /employer/verification'() {
    return { by: await companyOf(board), at: '/employer/verification', fields: { method: 'dns' } }
  },
  async 'POST /employer/verification/check'() {
    const by = await companyOf(board)
    await claim(board, by)
    return { by, at: '/employer/verification', action: '/employer/verification/check' }
  },
  async 'POST /employer/verification/:id'() {
    return {
      by: await companyOf(board, { website: null }),
      at: `/employer/verification/${await fedCompany()}`,
      fields: { method: 'dns' },
    }
  },
  async 'POST /employer/verification/:id/check'() {
    const { key } = await companyOf(board, { website: null })
    const id = await fedCompany()
    await claim(board, { id, key })
    return { by: { id, key }, at: `/employer/verification/${id}`, action: `/employer/verification/${id}/check` }
  },
  async 'POST /desk/companies/:id/unverify'() {
    const { domain: verified_domain, id } = await companyOf(board)
    await board.database.inTx((tx) =>
      tx.updateTable('employer').set({ verified_domain }).where('id', '=', id).execute(),
    )
    return { by: admin, at: `/desk/companies?search=${id}`, action: `/desk/companies/${id}/unverify` }
  },
  async 'POST /employer/team'() {
    const by = await board.employer()
    return { by, at: '/employer/team', fields: { email: 'idris@halden.example' } }
  },
  'POST /account/passkeys/:id/remove': ofPasskey,
  'POST /employer/team/:id/invite': () => ofMember('invite'),
  'POST /employer/team/:id/role': () => ofMember('role', { role: 'viewer' }),
  'POST /employer/team/:id/remove': () => ofMember('remove'),
  'POST /desk/staff': async () => ({ by: admin, at: '/desk/staff', fields: { email: 'wanda@board.example' } }),
  'POST /desk/staff/:id/invite': () => ofMember('invite', {}, true),
  'POST /desk/staff/:id/role': () => ofMember('role', { role: 'admin' }, true),
  'POST /desk/staff/:id/remove': () => ofMember('remove', {}, true),
  async 'POST /employer/applications/:id'() {
    const { application, employer } = await world(board)
    return { by: employer, at: `/employer/applications/${application.id}`, fields: { status: 'reviewed' } }
  },
  async 'POST /employer/applications/:id/assessment'() {
    const { by, at } = await ofApplication()
    return { by, at, action: `${at}/assessment`, fields: { rating: '3' } }
  },
  async 'POST /employer/applications/:id/notes'() {
    const { by, at } = await ofApplication()
    return { by, at, action: `${at}/notes`, fields: { text: 'Can start in May.' } }
  },
  async 'POST /employer/applications/:id/notes/:note_id/delete'() {
    const { by, at } = await ofApplication()
    const { data } = (await board.post(`${at.replace('/employer', '/v1/employers')}/notes`, by.key, { text: 'Call' }))
      .body
    return { by, at, action: `${at}/notes/${data.id}/delete` }
  },
  async 'POST /employer/applications/:id/messages'() {
    const { by, at } = await ofApplication()
    return { by, at, action: `${at}/messages`, fields: { reply: 'Can you call?' } }
  },
  async 'POST /me/applications/:id/messages'() {
    const { application, candidate } = await world(board)
    const at = `/me/applications/${application.id}`
    return { by: candidate, at, action: `${at}/messages`, fields: { reply: 'When do I start?' } }
  },
  async 'POST /employer/applications/emails/:status'() {
    const by = await board.employer()
    return { by, at: '/employer/applications/emails/rejected', fields: { subject: 'Thank you', text: '' } }
  },
  async 'POST /employer/applications/move'() {
    const { application, employer } = await world(board)
    const fields = { status: 'reviewed', 'ids[]': [application.id] }
    return { by: employer, at: '/employer/applications', action: '/employer/applications/move', fields }
  },
  async 'POST /employer/applications/:id/move'() {
    const { application, employer } = await world(board)
    const action = `/employer/applications/${application.id}/move`
    return { by: employer, at: '/employer/applications', action, fields: { status: 'reviewed' } }
  },
  'POST /employer/profile': async () => ({
    by: await board.employer(),
    at: '/employer/profile',
    fields: { name: `Once ${randomUUID()}` },
  }),
  'POST /employer/profile/logo': async () => ({
    by: await board.employer(),
    at: '/employer/profile',
    action: '/employer/profile/logo',
    fields: { file: logo() },
  }),
  async 'POST /employer/profile/logo/remove'() {
    const by = await board.employer()
    const headers = { 'content-type': 'image/png' }
    expectStatus(await board.call('PUT', '/v1/employers/logo', { key: by.key, body: png(32, 32), headers }), 200)
    return { by, at: '/employer/profile', action: '/employer/profile/logo/remove' }
  },
  'POST /employer/profile/cover': async () => ({
    by: await board.employer(),
    at: '/employer/profile',
    action: '/employer/profile/cover',
    fields: { cover: logo() },
  }),
  async 'POST /employer/profile/cover/remove'() {
    const by = await board.employer()
    const headers = { 'content-type': 'image/png' }
    expectStatus(await board.call('PUT', '/v1/employers/cover', { key: by.key, body: png(32, 32), headers }), 200)
    return { by, at: '/employer/profile', action: '/employer/profile/cover/remove' }
  },
  'POST /console/keys': async () => ({
    by: await board.employer(),
    at: '/console/keys/new',
    action: '/console/keys',
    fields: { name: 'Nightly', 'scopes[]': ['jobs:read'] },
  }),
  async 'POST /console/keys/:id/revoke'() {
    const by = await board.employer()
    await board.keyWith(by, ['jobs:read'])
    return { by, at: '/console/keys', action: await actionOn(by, '/console/keys', /revoke$/) }
  },
  'POST /console/webhooks': async () => ({
    by: await board.employer(),
    at: '/console/webhooks/new',
    action: '/console/webhooks',
    fields: { url: hookUrl(), 'events[]': ['job.created'] },
  }),
  async 'POST /console/webhooks/:id'() {
    return { ...(await ofWebhook('/edit', '')), fields: { description: 'Ours' } }
  },
  'POST /console/webhooks/:id/delete': () => ofWebhook('', '/delete'),
  'POST /console/webhooks/:id/rotate-secret': () => ofWebhook('/secret', '/rotate-secret'),
  'POST /console/webhooks/:id/recover': () => ofWebhook('/recover'),
  async 'POST /console/webhooks/:id/deliveries/:delivery_id/retry'() {
    const { account, path } = await makeDelivery(board)
    const at = path.replace('/v1', '/console')
    return { by: account, at, action: `${at}/retry` }
  },
  'POST /console/feeds': async () => ({
    by: await board.employer(),
    at: '/console/feeds/new',
    action: '/console/feeds',
    fields: { name: 'Voltaire careers', format: 'ndjson' },
  }),
  async 'POST /console/feeds/:id'() {
    return { ...(await ofFeed('/edit', '')), fields: { name: 'Ours' } }
  },
  'POST /console/feeds/:id/delete': () => ofFeed('/delete'),
  'POST /console/feeds/:id/runs': () => ofFeed('', '/runs'),
  'POST /console/feeds/:id/runs/:run_id/approve': () => ofHeldRun('approve'),
  'POST /console/feeds/:id/runs/:run_id/discard': () => ofHeldRun('discard'),
  async 'POST /account/emails'() {
    const by = await board.employer()
    const { visitor: me } = await joined(board, by, 'recruiter')
    return { by, me, at: '/account', action: '/account/emails', fields: { mail_on_application: 'false' } }
  },
  async 'POST /account/language'() {
    return { by: await board.candidate(), at: '/account', action: '/account/language', fields: { language: 'fr' } }
  },
  'POST /desk/settings/registration': async () => ({
    by: admin,
    at: '/desk/settings',
    action: '/desk/settings/registration',
  }),
  async 'POST /desk/accounts/:id/suspend'() {
    return { ...(await ofAccount('suspend')), fields: { reason: 'Not a company' } }
  },
  async 'POST /desk/accounts/:id/resume'() {
    const { path, key, body } = await posts.suspendAccount!(board)
    expectStatus(await board.post(path, key, body), 200)
    const at = path.replace('/v1/admin', '/desk').replace('/suspend', '')
    return { by: admin, at, action: `${at}/resume` }
  },
  'POST /desk/accounts/:id/delete': () => ofAccount('delete'),
  async 'POST /desk/accounts/:id/keys/:key_id/revoke'() {
    const { at } = await ofAccount('')
    return { by: admin, at, action: await actionOn(admin, at, /keys\/key_\w+\/revoke$/) }
  },
  async 'POST /desk/accounts/:id/passkeys/remove'() {
    const candidate = await board.candidate()
    await storedPasskey(board, candidate)
    const at = `/desk/accounts/${candidate.id}`
    return { by: admin, at, action: `${at}/passkeys/remove` }
  },
  async 'POST /desk/accounts/:id/sessions/end'() {
    const employer = await board.employer()
    await visitor(board, employer)
    const at = `/desk/accounts/${employer.id}`
    return { by: admin, at, action: `${at}/sessions/end` }
  },
  async 'POST /desk/accounts/:id/sessions/:session_id/end'() {
    const employer = await board.employer()
    await visitor(board, employer)
    const at = `/desk/accounts/${employer.id}`
    return { by: admin, at, action: await actionOn(admin, at, /sessions\/ses_\w+\/end$/) }
  },
  'POST /desk/blocks': async () => ({
    by: admin,
    at: '/desk/blocks',
    fields: { kind: 'email_domain', value: `${randomUUID()}.example`, reason: 'Spam' },
  }),
  async 'POST /desk/blocks/:id/delete'() {
    const { path, key, body } = await posts.createBlock!(board)
    const { id } = expectStatus(await board.post(path, key, body), 201).body.data
    return { by: admin, at: '/desk/blocks', action: `/desk/blocks/${id}/delete` }
  },
  async 'POST /desk/emails/retry'() {
    await failedEmail(board)
    return { by: admin, at: '/desk/emails', action: '/desk/emails/retry' }
  },
  async 'POST /desk/emails/:id/retry'() {
    const at = `/desk/emails/${await failedEmail(board, { state: 'sent' })}`
    return { by: admin, at, action: `${at}/retry` }
  },
  'POST /desk/tasks/:name/run': async () => ({ by: admin, at: '/desk/tasks', action: '/desk/tasks/mail-purge/run' }),
  async 'POST /desk/payments/:id/mark-paid'() {
    const { id } = await begin(board, await board.employer())
    return { by: admin, at: `/desk/payments/${id}`, action: `/desk/payments/${id}/mark-paid` }
  },
  'POST /desk/board': async () => ({ by: admin, at: '/desk/board', fields: { name: 'Once', _logo: logo() } }),
  async 'POST /desk/board/logo/remove'() {
    const headers = { 'content-type': 'image/png' }
    const put = await board.call('PUT', '/v1/admin/board/logo', { key: ADMIN_KEY, body: png(32, 32), headers })
    expectStatus(put, 200)
    return { by: admin, at: '/desk/board', action: '/desk/board/logo/remove' }
  },
  'POST /desk/board/new-page': async () => ({
    by: admin,
    at: '/desk/board/new-page',
    fields: { slug: 'about-us', title: 'About us', text: 'We are few.' },
  }),
  'POST /desk/board/pages/:slug': async () => ({
    by: admin,
    at: '/desk/board/pages/imprint',
    fields: { text: 'Gearwright Ltd' },
  }),
  async 'POST /desk/board/pages/:slug/delete'() {
    const at = '/desk/board/pages/terms'
    expectStatus(
      await board.put(at.replace('/desk', '/v1/admin'), ADMIN_KEY, { title: 'Terms', text: 'Be kind.' }),
      200,
    )
    return { by: admin, at, action: `${at}/delete` }
  },
  'POST /desk/catalogue/:kind': async () => ({
    by: admin,
    at: '/desk/catalogue/category',
    fields: { name: 'Aviation' },
  }),
  'POST /desk/catalogue/:kind/:slug': async () => ({
    by: admin,
    at: '/desk/catalogue/category/motorsport',
    fields: { name: 'Racing' },
  }),
  'POST /desk/catalogue/:kind/:slug/move': async () => ({
    by: admin,
    at: '/desk/catalogue/category',
    action: '/desk/catalogue/category/motorsport/move',
    fields: { direction: 'up' },
  }),
  'POST /desk/catalogue/:kind/:slug/remove': async () => ({
    by: admin,
    at: '/desk/catalogue/category',
    action: '/desk/catalogue/category/motorsport/remove',
  }),
  async 'POST /desk/jobs/:id/remove'() {
    const at = `/desk/jobs/${(await board.activeJob(await board.employer())).id}`
    return { by: admin, at, action: `${at}/remove`, fields: { reason: 'It is not a job' } }
  },
  async 'POST /desk/jobs/:id/restore'() {
    const made = await report(board)
    await uphold(board, made)
    return { by: admin, at: `/desk/jobs/${made.job_id}`, action: `/desk/jobs/${made.job_id}/restore` }
  },
  'POST /desk/products/:slug': async () => ({ by: admin, at: '/desk/products/featured', fields: { price: '98.50' } }),
  'POST /desk/currency-rates': async () => ({
    by: admin,
    at: '/desk/currency-rates',
    fields: { as_of: '2026-03-01', 'rates[]': 'USD 1.25\nGBP 0.9' },
  }),
  async 'POST /desk/reports/:id/uphold'() {
    return { ...(await ofReport('uphold')), fields: { reason: 'It is not a job' } }
  },
  async 'POST /desk/duplicates/:id/:other_id'() {
    return { by: admin, at: (await suspectedPair(board)).path, fields: { decision: 'different' } }
  },
  'POST /desk/reports/:id/dismiss': () => ofReport('dismiss'),
  async 'POST /desk/reports/:id/restore'() {
    const made = await report(board)
    await uphold(board, made)
    return ofReport('restore', Promise.resolve(made))
  },
}

/** Returns the properties of a form's response that must not differ. */
const outcome = ({ status, path }: Page) => [status, path]

/** Writes pending key uses and returns the database content. */
async function content(of: Board): Promise<string> {
  await of.service.keyRing.flushUses()
  return wholeDatabase(of.database)
}

test('every form has a submission or a reason why it has none', () => {
  const known = [...Object.keys(forms), ...Object.values(unrepeatable).flatMap((line) => line.split(' | '))].sort()
  expect(known).toEqual([...board.service.pages].filter((page) => page.startsWith('POST ')).sort())
})

test.each(Object.entries(forms))('%s has one effect and one response if it is submitted twice', async (_page, make) => {
  const { by, me = await visitor(board, by), at, action = at, fields } = await make()
  const page = await me.get(at)
  const first = await me.submit(page, action, fields)
  expect(first.status, first.seen).toBeLessThan(300)
  const before = await content(board)
  const second = await me.submit(page, action, fields)
  expect(outcome(second), second.seen).toEqual(outcome(first))
  expect(await content(board)).toBe(before)
})
