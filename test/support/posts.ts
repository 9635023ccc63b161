/** A successful request for every POST operation, and shared tests of idempotency keys. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { ALERTS, alertBody } from './alerts.ts'
import { world } from './applications.ts'
import { ADMIN_KEY, type Answer, type Board, expectStatus, jobBody } from './board.ts'
import { pdf } from './documents.ts'
import { FEEDS, feedBody, heldRun, makeFeed, ndjsonOf, posting } from './feeds.ts'
import { failedEmail } from './mails.ts'
import { begin } from './payments.ts'
import { report, uphold } from './reports.ts'
import { RESUME } from './resumes.ts'
import { makeDelivery, makeWebhook, WEBHOOKS, webhookBody } from './webhooks.ts'

export interface Post {
  path: string
  key?: string
  body: Record<string, unknown>
}

const since = '2026-03-01'

/** Functions that return a request, by operation ID. Each function creates everything that its request needs. */
export const posts: Record<string, (board: Board) => Promise<Post>> = {
  createApiKey: async (board) => ({
    path: '/v1/api-keys',
    key: (await board.candidate()).key,
    body: { name: 'Reporting' },
  }),
  registerCandidate: async () => ({
    path: '/v1/candidates',
    body: { first_name: 'Ada', last_name: 'Once', email: `${randomUUID()}@candidate.example` },
  }),
  registerEmployer: async () => ({
    path: '/v1/employers',
    body: { name: 'Once Motors', email: `${randomUUID()}@employer.example` },
  }),
  createJob: async (board) => ({ path: '/v1/jobs', key: (await board.employer()).key, body: jobBody() }),
  async createClaim(board) {
    const { id, key } = await board.employer({ website: `https://${randomUUID()}.example` })
    return { path: `/v1/employers/${id}/claims`, key, body: { method: 'dns' } }
  },
  async verifyClaim(board) {
    const { id, key } = await board.employer({ website: `https://${randomUUID()}.example` })
    const { data } = expectStatus(await board.post(`/v1/employers/${id}/claims`, key, { method: 'dns' }), 201).body
    return { path: `/v1/employers/${id}/claims/${data.id}/verify`, key, body: {} }
  },
  inviteMember: async (board) => ({
    path: '/v1/employers/members',
    key: (await board.employer()).key,
    body: { email: `${randomUUID()}@member.example`, role: 'viewer' },
  }),
  inviteStaff: async () => ({
    path: '/v1/admin/members',
    key: ADMIN_KEY,
    body: { email: `${randomUUID()}@staff.example`, role: 'moderator' },
  }),
  async activateJob(board) {
    const employer = await board.employer()
    const { id } = await board.job(employer)
    await board.pay(employer, id)
    return { path: `/v1/jobs/${id}/activate`, key: employer.key, body: {} }
  },
  async closeJob(board) {
    const employer = await board.employer()
    const { id } = await board.activeJob(employer)
    return { path: `/v1/jobs/${id}/close`, key: employer.key, body: { reason: 'Found somebody' } }
  },
  async reopenJob(board) {
    const { path, key, body } = await posts.closeJob!(board)
    await board.post(path, key, body)
    return { path: path.replace(/close$/, 'reopen'), key: key!, body: {} }
  },
  async createPayment(board) {
    const employer = await board.employer()
    const body = { job_id: (await board.job(employer)).id, products: ['job-post'] }
    return { path: '/v1/employers/payments', key: employer.key, body }
  },
  async confirmPayment(board) {
    const employer = await board.employer()
    const { id } = await begin(board, employer)
    return { path: `/v1/employers/payments/${id}/confirm`, key: employer.key, body: {} }
  },
  async markPaymentPaid(board) {
    const { id } = await begin(board, await board.employer())
    return { path: `/v1/admin/payments/${id}/mark-paid`, key: ADMIN_KEY, body: {} }
  },
  async reportJob(board) {
    const { id } = await board.activeJob(await board.employer())
    return { path: `/v1/jobs/${id}/reports`, key: (await board.candidate()).key, body: { reason: 'spam' } }
  },
  async upholdReport(board) {
    const { id } = await report(board)
    return { path: `/v1/admin/reports/${id}/uphold`, key: ADMIN_KEY, body: { reason: 'It is not a job' } }
  },
  async dismissReport(board) {
    const { id } = await report(board)
    return { path: `/v1/admin/reports/${id}/dismiss`, key: ADMIN_KEY, body: {} }
  },
  async restoreJob(board) {
    const { job_id } = await uphold(board, await report(board))
    return { path: `/v1/admin/jobs/${job_id}/restore`, key: ADMIN_KEY, body: {} }
  },
  async decideDuplicates(board) {
    const employer = await board.employer()
    const jobs = [await board.job(employer), await board.job(employer)]
    const body = { job_ids: jobs.map(({ id }) => id), decision: 'different' }
    return { path: '/v1/admin/duplicates', key: ADMIN_KEY, body }
  },
  async suspendAccount(board) {
    const { id } = await board.employer()
    return { path: `/v1/admin/accounts/${id}/suspend`, key: ADMIN_KEY, body: { reason: 'Not a company' } }
  },
  async resumeAccount(board) {
    const { path, key, body } = await posts.suspendAccount!(board)
    await board.post(path, key, body)
    return { path: path.replace(/suspend$/, 'resume'), key: key!, body: {} }
  },
  createBlock: async () => ({
    path: '/v1/admin/blocks',
    key: ADMIN_KEY,
    body: { kind: 'address', value: `${randomUUID()}@blocked.example`, reason: 'Spam' },
  }),
  async retryEmail(board) {
    return { path: `/v1/admin/emails/${await failedEmail(board)}/retry`, key: ADMIN_KEY, body: {} }
  },
  async retryEmails(board) {
    await failedEmail(board)
    return { path: '/v1/admin/emails/retry', key: ADMIN_KEY, body: {} }
  },
  runTask: async () => ({ path: '/v1/admin/tasks/mail-purge/runs', key: ADMIN_KEY, body: {} }),
  async applyToJob(board) {
    const { id } = await board.activeJob(await board.employer())
    const body = { cover_letter: 'I build batteries.' }
    return { path: `/v1/candidates/jobs/${id}/apply`, key: (await board.candidate()).key, body }
  },
  async draftApplication(board) {
    const { id } = await board.activeJob(await board.employer())
    const body = { cover_letter: 'I build batteries.' }
    return { path: `/v1/candidates/jobs/${id}/draft`, key: (await board.candidate()).key, body }
  },
  async withdrawApplication(board) {
    const { application, candidate } = await world(board)
    return { path: `/v1/candidates/applications/${application.id}/withdraw`, key: candidate.key, body: {} }
  },
  async moveApplications(board) {
    const { application, employer } = await world(board)
    const body = { ids: [application.id], status: 'reviewed' }
    return { path: '/v1/employers/applications/bulk', key: employer.key, body }
  },
  async createFeed() {
    return { path: FEEDS, key: ADMIN_KEY, body: feedBody() }
  },
  async createFeedRun(board) {
    const { id } = await makeFeed(board, { url: 'https://jobs.example/all' })
    return { path: `${FEEDS}/${id}/runs`, key: ADMIN_KEY, body: {} }
  },
  async createFeedDocument(board) {
    const { id } = await makeFeed(board)
    return { path: `${FEEDS}/${id}/documents`, key: ADMIN_KEY, body: { document: ndjsonOf([posting('1')]) } }
  },
  async approveFeedRun(board) {
    return { path: `${await heldRun(board)}/approve`, key: ADMIN_KEY, body: {} }
  },
  async discardFeedRun(board) {
    return { path: `${await heldRun(board)}/discard`, key: ADMIN_KEY, body: {} }
  },
  async createApplicationNote(board) {
    const { application, employer } = await world(board)
    const path = `/v1/employers/applications/${application.id}/notes`
    return { path, key: employer.key, body: { text: 'Can start in May.' } }
  },
  async sendApplicationMessage(board) {
    const { application, candidate } = await world(board)
    const path = `/v1/candidates/applications/${application.id}/messages`
    return { path, key: candidate.key, body: { text: 'When do I start?' } }
  },
  async messageApplicant(board) {
    const { application, employer } = await world(board)
    const path = `/v1/employers/applications/${application.id}/messages`
    return { path, key: employer.key, body: { text: 'Can you call?' } }
  },
  async previewEmailTemplate(board) {
    return { path: '/v1/employers/email-templates/hired/preview', key: (await board.employer()).key, body: {} }
  },
  async saveJob(board) {
    const { id } = await board.activeJob(await board.employer())
    return { path: `/v1/candidates/jobs/${id}/save`, key: (await board.candidate()).key, body: {} }
  },
  createJobAlert: async (board) => ({ path: ALERTS, key: (await board.candidate()).key, body: alertBody() }),
  uploadResume: async (board) => ({
    path: RESUME,
    key: (await board.candidate()).key,
    body: { filename: 'cv.pdf', content_base64: pdf('Engineer').toString('base64') },
  }),
  createWebhook: async (board) => ({ path: WEBHOOKS, key: (await board.employer()).key, body: webhookBody() }),
  rotateWebhookSecret: (board) => ofWebhook(board, 'rotate-secret', {}),
  testWebhook: (board) => ofWebhook(board, 'test', {}),
  recoverWebhook: (board) => ofWebhook(board, 'recover', { since }),
  async retryWebhookDelivery(board) {
    const { path, account } = await makeDelivery(board)
    return { path: `${path}/retry`, key: account.key, body: {} }
  },
}

async function ofWebhook(board: Board, action: string, body: Post['body']): Promise<Post> {
  const employer = await board.employer()
  return { path: `${WEBHOOKS}/${(await makeWebhook(board, employer)).id}/${action}`, key: employer.key, body }
}

/** Sends a POST with an idempotency key. */
export function sendWith(board: Board, idempotencyKey: string, { path, key, body }: Post): Promise<Answer> {
  return board.call('POST', path, { key, body, headers: { 'idempotency-key': idempotencyKey } })
}

/**
 * Returns the body of a replay. The replay equals the first response, except that its `api_key` is null after an open
 * registration.
 */
export const replayOf = (text: string) => text.replace(/"api_key":"[^"]+"/, '"api_key":null')

export const isReplay = ({ headers }: Answer): boolean => headers.get('idempotency-replayed') === 'true'

/** Blocks the board's transactions until `release` is called. `arrived` resolves when a transaction is waiting. */
export function holdTransactions(board: Board): { arrived: Promise<void>; release(): void } {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
  const { database, alternate } = board
  const { inTx } = database
  // Updates of the index would wait for the release, too.
  board.alternate = async () => {}
  database.inTx = async (work) => {
    arrive()
    await promise
    return inTx(work)
  }
  return {
    arrived,
    release() {
      Object.assign(board, { alternate })
      database.inTx = inTx
      release()
    },
  }
}

/** Registers tests in the 409 block of a POST operation. */
export function refusesWhileRunning(board: Board, operationId: string): void {
  test(`${operationId} refuses a request whose Idempotency-Key another request is using`, async () => {
    const request = await posts[operationId]!(board)
    const key = randomUUID()
    const held = holdTransactions(board)
    const both = [sendWith(board, key, request), sendWith(board, key, request)]
    const refused = await Promise.race(both).finally(held.release)
    expect([refused.status, refused.body.code]).toEqual([409, 'idempotency_in_progress'])
    expect(refused.headers.get('retry-after')).toBe('1')
    const done = (await Promise.all(both)).find((answer) => answer !== refused)!
    expect([Math.floor(done.status / 100), isReplay(done)]).toEqual([2, false])
    const again = await sendWith(board, key, request)
    expect([again.text, isReplay(again)]).toEqual([replayOf(done.text), true])
  })
}
