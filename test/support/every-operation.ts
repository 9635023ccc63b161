/** A board with a resource for every path, an account of every kind, and a valid body for every operation. */
import { beforeAll, expect } from 'vitest'
import { openAccount } from '../../src/features/accounts/index.ts'
import type { Needs } from '../../src/http/authenticate.ts'
import { STREAMED } from '../../src/http/openapi-samples.ts'
import { type AccountKind, accountKinds } from '../../src/lib/api-keys.ts'
import { newId } from '../../src/lib/ids.ts'
import { type MemberRole, type Scope, scopesOf } from '../../src/lib/scopes.ts'
import { alertBody, makeAlert } from './alerts.ts'
import { apply } from './applications.ts'
import { type Account, type Answer, expectStatus, jobBody, useBoard } from './board.ts'
import { pdf } from './documents.ts'
import { makeFeed, push } from './feeds.ts'
import { failedEmail } from './mails.ts'
import { png } from './pictures.ts'
import { upload } from './resumes.ts'
import { deliveriesOf, makeWebhook, WEBHOOKS, webhookBody } from './webhooks.ts'
import { wholeDatabase } from './whole-database.ts'

/** Operations that check the query before they find the resource, or that succeed for every job. */
export const checkQueryFirst = ['deleteBlock', 'endSession', 'getEvent', 'getReport', 'getWebhookRecovery', 'unsaveJob']

/** Operations that create the resource at their path if it does not exist. */
export const creating = ['updateBoardPage']

export const EVERYONE = 'candidate employer admin integrator'

/** A valid body for every operation with a body, so that only the caller can cause a refusal. */
const bodies: Record<string, object> = {
  createApiKey: { name: 'Taken over' },
  registerCandidate: { first_name: 'New', last_name: 'Person', email: 'new@candidate.example' },
  registerEmployer: { name: 'New employer', email: 'new@employer.example' },
  updateCandidateProfile: { headline: 'Taken over' },
  updateEmployerProfile: { description: 'Taken over' },
  createClaim: { method: 'dns' },
  verifyClaim: {},
  inviteMember: { email: 'invited@over.example', role: 'owner' },
  updateMember: { name: 'Taken over' },
  inviteStaff: { email: 'invited@over.example', role: 'admin' },
  updateStaff: { name: 'Taken over' },
  createJob: jobBody({ title: 'Taken over' }),
  updateJob: { title: 'Taken over' },
  activateJob: {},
  closeJob: { reason: 'Taken over' },
  reopenJob: {},
  applyToJob: { cover_letter: 'Taken over' },
  draftApplication: { cover_letter: 'Taken over' },
  saveJob: {},
  withdrawApplication: { reason: 'Taken over' },
  updateApplicationStatus: { status: 'reviewed' },
  createApplicationNote: { text: 'Taken over' },
  sendApplicationMessage: { text: 'Taken over' },
  messageApplicant: { text: 'Taken over' },
  updateEmailTemplate: { text: 'Taken over' },
  previewEmailTemplate: { text: 'Taken over' },
  moveApplications: { ids: ['app_00000000000000000000000000'], status: 'reviewed' },
  uploadResume: { filename: 'cv.txt', content_base64: 'VGFrZW4gb3Zlcg==' },
  createJobAlert: alertBody({ name: 'Taken over' }),
  updateJobAlert: { name: 'Taken over' },
  createPayment: { job_id: 'job_00000000000000000000000000', products: ['job-post'] },
  confirmPayment: {},
  markPaymentPaid: {},
  reportJob: { reason: 'spam', message: 'Taken over' },
  upholdReport: { reason: 'Taken over' },
  dismissReport: { note: 'Taken over' },
  restoreJob: {},
  decideDuplicates: {
    job_ids: ['job_00000000000000000000000000', 'job_00000000000000000000000001'],
    decision: 'same',
  },
  suspendAccount: { reason: 'Taken over' },
  resumeAccount: {},
  createBlock: { kind: 'address', value: 'taken@over.example', reason: 'Taken over' },
  retryEmail: {},
  retryEmails: {},
  runTask: {},
  updateProduct: { name: 'Taken over' },
  updateBoard: { name: 'Taken over' },
  updateEmployerLogo: { filename: 'logo.png', content_base64: png(8, 8).toString('base64') },
  updateEmployerCover: { filename: 'cover.png', content_base64: png(8, 8).toString('base64') },
  updateBoardLogo: { filename: 'logo.png', content_base64: png(8, 8).toString('base64') },
  updateBoardPage: { title: 'Taken over', text: 'Taken over' },
  replaceCurrencyRates: { base: 'EUR', as_of: '2026-01-02', rates: { USD: 99 } },
  createWebhook: webhookBody({ description: 'Taken over' }),
  updateWebhook: { description: 'Taken over' },
  rotateWebhookSecret: {},
  testWebhook: {},
  retryWebhookDelivery: {},
  recoverWebhook: { since: '2026-01-01' },
  createFeed: { name: 'Taken over', format: 'ndjson' },
  updateFeed: { name: 'Taken over' },
  createFeedRun: {},
  createFeedDocument: { document: '{"id":"1"}' },
  approveFeedRun: {},
  discardFeedRun: {},
}

/** A text in all of the owners' private data, and in no other data. */
export const SECRET = 'Quillonberry'

export interface Thing {
  owner: Account
  /** The path parameters, in order. */
  ids: readonly string[]
}

/** The resources at a path, and the account kinds that see them in addition to their owners. */
export interface Shelf {
  things: readonly Thing[]
  seenBy: readonly AccountKind[]
}

export interface Operation {
  operationId: string
  method: string
  path: string
  hasBody: boolean
  /** Whether the body may be a file instead of JSON. */
  takesFiles: boolean
  /** The fields of the JSON body. */
  members: readonly string[]
  queryParameters: readonly string[]
  callers: Partial<Record<AccountKind, Scope | null>>
  needs: Needs | undefined
  /** The account kinds with members that may call the operation, each with the lowest role that may. */
  roles: Partial<Record<AccountKind, MemberRole>>
  /** Whether publishable keys may call the operation. */
  isPublishable: boolean
  /** The documented statuses. */
  statuses: readonly number[]
  /** Whether a successful response lasts until the client disconnects. */
  isLasting: boolean
}

export const parametersIn = (path: string) => path.match(/\{\w+\}/g)?.length ?? 0

/** Returns the path with these IDs. An unknown ID replaces each missing ID. */
export function fill(path: string, ids: readonly string[] = []): string {
  let index = 0
  return `/v1${path.replace(/\{\w+\}/g, () => ids[index++] ?? 'x')}`
}

export const wordsOf = ({ status, body }: Answer) => [status, body?.code, body?.title, body?.detail]

/** Starts the board and creates its accounts and resources before the file's tests. */
export function useEveryOperation() {
  const board = useBoard()
  const owners = {} as Record<AccountKind, Account>
  const strangers = {} as Record<AccountKind, Account>
  /** Resources by path, up to the last parameter of the path. */
  const shelves: Record<string, Shelf> = {}
  const deadKeys: Record<string, string> = {}
  const limitedKeys = new Map<string, string>()
  /** Keys by account kind: keys with all scopes but one, and an expiring key with every scope. */
  const narrowKeys = new Map<AccountKind, readonly { name: string; key: string; scopes: readonly Scope[] }[]>()
  /** Accounts that tests may delete. */
  const leavers: Partial<Record<AccountKind, Account>> = {}
  const operations: Operation[] = []
  /** Operations that need no key. */
  const publicOperations: string[] = []
  /** A job that candidates can see. */
  let publicJob: string
  /** The number of sent requests. */
  const count = { cases: 0 }

  async function open(kind: AccountKind, name: string): Promise<Account> {
    if (kind === 'candidate') return board.candidate({ last_name: name })
    if (kind === 'employer') return board.employer()
    const account = { kind, name, email: null } as const
    const { id, apiKey } = await board.database.inTx((tx) => openAccount(tx, account, board.clock.now()))
    return { id, key: apiKey }
  }

  const created = async (path: string, { key }: Account, body: unknown) =>
    expectStatus(await board.post(path, key, body), 201).body.data

  beforeAll(async () => {
    for (const kind of accountKinds) {
      owners[kind] = await open(kind, SECRET)
      strangers[kind] = await open(kind, 'Stranger')
    }
    const { candidate, employer } = owners
    const webhooks: Thing[] = []
    const deliveries: Thing[] = []
    const recoveries: Thing[] = []
    const keys: Thing[] = []
    const events = ['candidate.profile_updated', 'job.created', 'application.submitted']
    for (const owner of Object.values(owners)) {
      const { id } = await makeWebhook(board, owner, { events, description: SECRET })
      webhooks.push({ owner, ids: [id] })
      keys.push({ owner, ids: [(await created('/v1/api-keys', owner, { name: SECRET })).id] })
    }
    const draft = await board.job(employer, { title: SECRET })
    const { id: paymentId } = await created('/v1/employers/payments', employer, {
      job_id: draft.id,
      products: ['job-post'],
    })
    const posted = await board.activeJob(employer)
    const paid = expectStatus(await board.get(`/v1/employers/payments?job_id=${posted.id}`, employer.key), 200).body
      .data[0]
    publicJob = posted.id
    const resume = await upload(board, candidate, pdf(SECRET), `${SECRET}.pdf`)
    const application = await apply(board, candidate, posted.id, { cover_letter: SECRET })
    const alert = await makeAlert(board, candidate, { name: SECRET })
    const report = await created(`/v1/jobs/${posted.id}/reports`, candidate, { reason: 'other', message: SECRET })
    await created(`/v1/candidates/jobs/${posted.id}/save`, candidate, {})
    expectStatus(await board.put('/v1/candidates/profile', candidate.key, { headline: SECRET }), 200)
    for (const { owner, ids } of webhooks) {
      const [delivery] = await deliveriesOf(board, owner, ids[0]!)
      deliveries.push({ owner, ids: [ids[0]!, delivery.id] })
      const recovery = await board.post(`${WEBHOOKS}/${ids[0]}/recover`, owner.key, { since: '2026-01-01' })
      recoveries.push({ owner, ids: [ids[0]!, expectStatus(recovery, 202).body.data.id] })
    }
    const eventOf = async (owner: Account, type: string): Promise<Thing> => {
      const { data } = expectStatus(await board.get(`/v1/events?type=${type}`, owner.key), 200).body
      return { owner, ids: [data[0].id] }
    }
    const shelve = (path: string, seenBy: string, ...things: Thing[]) => {
      shelves[path] = { things, seenBy: seenBy.split(' ') as AccountKind[] }
    }
    const of = (owner: Account, ...ids: string[]): Thing => ({ owner, ids })
    shelve('/api-keys/{id}', '', ...keys)
    shelve('/webhooks/{id}', '', ...webhooks)
    shelve('/webhooks/{id}/deliveries/{delivery_id}', '', ...deliveries)
    shelve('/webhooks/{id}/recoveries/{recovery_id}', '', ...recoveries)
    shelve('/candidates/{id}', 'admin', of(candidate, candidate.id))
    shelve('/candidates/applications/{id}', '', of(candidate, application.id))
    shelve('/candidates/resume/{id}', 'admin', of(candidate, resume.id))
    shelve('/candidates/job-alerts/{id}', '', of(candidate, alert.id))
    shelve('/employers/{id}', EVERYONE, of(employer, employer.id))
    const website = { website: 'https://owner.example' }
    expectStatus(await board.put('/v1/employers/profile', employer.key, website), 200)
    const claim = await created(`/v1/employers/${employer.id}/claims`, employer, { method: 'dns' })
    shelve('/employers/{id}/claims/{claim_id}', '', of(employer, employer.id, claim.id))
    const verified = { verified_domain: 'owner.example' }
    await board.database.inTx((tx) => tx.updateTable('employer').set(verified).where('id', '=', employer.id).execute())
    shelve('/admin/employers/{id}', 'admin', of(employer, employer.id))
    shelve('/employers/applications/{id}', 'admin', of(employer, application.id))
    const note = await created(`/v1/employers/applications/${application.id}/notes`, employer, { text: SECRET })
    shelve('/employers/applications/{id}/notes/{note_id}', '', of(employer, application.id, note.id))
    const invited = { email: 'invited@member.example', name: SECRET, role: 'viewer' }
    const member = await created('/v1/employers/members', employer, invited)
    shelve('/employers/members/{id}', '', of(employer, member.id))
    const staff = { email: 'invited@staff.example', name: SECRET, role: 'moderator' }
    const { id: staffId } = await created('/v1/admin/members', owners.admin, staff)
    shelve('/admin/members/{id}', 'admin', of(owners.admin, staffId))
    // Every employer has these templates, so each employer sees its own.
    shelve('/employers/email-templates/{status}', 'employer', of(employer, 'hired'))
    shelve('/employers/payments/{id}', 'admin', of(employer, paid.id))
    const feed = await makeFeed(board, { name: SECRET }, employer.key)
    const run = expectStatus(await push(board, feed.id, '{}', employer.key), 202).body.data
    shelve('/feeds/{id}', 'admin', of(employer, feed.id))
    shelve('/feeds/{id}/runs/{run_id}', 'admin', of(employer, feed.id, run.id))
    // An account that tests may delete.
    const spare = await board.employer()
    shelve('/admin/accounts/{id}', 'admin', of(spare, spare.id))
    const session = newId('session')
    await board.database.inTx((tx) =>
      tx
        .insertInto('session')
        .values({
          ...{ id: session, token_hash: session, account_id: employer.id, key_hash: null },
          ...{ created_at: board.clock.now(), last_seen_at: board.clock.now() },
          expires_at: new Date(board.clock.time + 86_400_000),
        })
        .execute(),
    )
    const block = await created('/v1/admin/blocks', owners.admin, {
      ...{ kind: 'email_domain', value: 'blocked.example', reason: SECRET },
    })
    shelve('/admin/accounts/{id}/sessions/{session_id}', 'admin', of(employer, employer.id, session))
    shelve('/admin/blocks/{id}', 'admin', of(owners.admin, block.id))
    shelve('/admin/emails/{id}', 'admin', of(candidate, await failedEmail(board)))
    shelve('/admin/tasks/{name}', 'admin', of(owners.admin, 'mail-purge'))
    shelve('/admin/payments/{id}', 'admin', of(employer, paymentId))
    shelve('/admin/reports/{id}', 'admin', of(candidate, report.id))
    shelve('/admin/jobs/{id}', 'admin', of(employer, draft.id))
    const imprint = { title: 'Imprint', text: 'Gearwright Ltd' }
    expectStatus(await board.put('/v1/admin/board/pages/imprint', owners.admin.key, imprint), 200)
    shelve('/admin/board/pages/{slug}', 'admin', of(owners.admin, 'imprint'))
    shelve('/admin/products/{slug}', 'admin', of(owners.admin, 'job-post'))
    // A job that was never activated. Only its owner and admins can see it.
    shelve('/jobs/{id}', 'admin', of(employer, draft.id))
    shelve('/employers/jobs/{id}', 'admin', of(employer, draft.id))
    shelve('/candidates/jobs/{id}', '', of(employer, draft.id))
    shelve(
      '/events/{id}',
      'admin integrator',
      await eventOf(candidate, 'candidate.profile_updated'),
      await eventOf(employer, 'job.created'),
    )

    for (const kind of accountKinds) {
      const expires_at = new Date(board.clock.time + 1_000).toISOString()
      deadKeys[`expired key of ${kind}`] = (await created('/v1/api-keys', owners[kind], { name: 'E', expires_at })).key
      const { id, key } = await created('/v1/api-keys', owners[kind], { name: 'R' })
      expectStatus(await board.delete(`/v1/api-keys/${id}`, owners[kind].key), 204)
      deadKeys[`revoked key of ${kind}`] = key
    }
    leavers.candidate = await board.candidate()
    leavers.employer = await board.employer()
    const erased = await board.candidate()
    expectStatus(await board.delete('/v1/candidates/profile', erased.key), 204)
    deadKeys['key of an erased account'] = erased.key
    board.clock.advance(1_000)
    deadKeys.garbage = 'x'
    deadKeys['mistyped key'] = candidate.key.slice(0, -1) + (candidate.key.endsWith('x') ? 'y' : 'x')

    for (const [path, item] of Object.entries(board.contract.document.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        const {
          operationId,
          parameters = [],
          requestBody,
          responses,
          'x-callers': callers,
          'x-needs': needs,
          'x-roles': roles = {},
          'x-publishable': isPublishable = false,
        } = operation
        if (callers === undefined) {
          publicOperations.push(operationId)
          continue
        }
        operations.push({
          ...{ operationId, method: method.toUpperCase(), path, callers, needs, roles, isPublishable },
          hasBody: requestBody !== undefined,
          takesFiles: Object.keys(requestBody?.content ?? {}).some((type) => type !== 'application/json'),
          members: Object.keys(requestBody?.content['application/json']?.schema.properties ?? {}),
          queryParameters: parameters.filter(({ in: where }) => where === 'query').map(({ name }) => name),
          statuses: Object.keys(responses).map(Number),
          isLasting: JSON.stringify(responses).includes(STREAMED),
        })
      }
    }
    for (const { callers } of operations) {
      for (const [kind, scope] of Object.entries(callers) as [AccountKind, Scope | null][]) {
        if (scope === null || limitedKeys.has(`${kind} ${scope}`)) continue
        const others = scopesOf(kind).filter((other) => other !== scope)
        limitedKeys.set(`${kind} ${scope}`, await board.keyWith(owners[kind], others))
      }
    }
    for (const kind of accountKinds) {
      const scopes = scopesOf(kind)
      const narrow = await Promise.all(
        scopes.map(async (missing) => {
          const others = scopes.filter((scope) => scope !== missing)
          return { name: `without ${missing}`, key: await board.keyWith(owners[kind], others), scopes: others }
        }),
      )
      const expires_at = new Date(board.clock.time + 3_600_000).toISOString()
      const { key } = await created('/v1/api-keys', owners[kind], { name: 'Expiring', expires_at })
      narrowKeys.set(kind, [...narrow, { name: 'that expires', key, scopes }])
    }
    // While registration is open, registering needs no API key.
    await board.restart({ REGISTRATION: 'closed' })
  })

  const kindOf = (owner: Account) => accountKinds.find((kind) => owners[kind] === owner)!

  /** Returns the resources at an operation's path, which must have parameters. */
  function shelfOf({ operationId, path }: Operation): Shelf {
    // Every account sees employers, but an employer can claim only its own company.
    if (operationId === 'createClaim') return { ...shelves['/employers/{id}']!, seenBy: [] }
    const shelf = shelves[path.replace(/(.*\}).*/, '$1')]
    if (!shelf || shelf.things.some(({ ids }) => ids.length !== parametersIn(path)))
      throw new Error(`No resource exists for ${operationId}. Add a resource to its shelf.`)
    return shelf
  }

  /** Returns a key that may call the operation, and IDs of a resource that its account can see. */
  function permitted(operation: Operation): { key: string; ids: readonly string[] } {
    const kinds = Object.keys(operation.callers) as AccountKind[]
    if (operation.path.startsWith('/candidates/jobs/')) return { key: owners.candidate.key, ids: [publicJob] }
    if (!parametersIn(operation.path)) return { key: owners[kinds[0]!].key, ids: [] }
    const { things, seenBy } = shelfOf(operation)
    const own = things.find(({ owner }) => kinds.includes(kindOf(owner)))
    if (own) return { key: own.owner.key, ids: own.ids }
    return { key: owners[kinds.find((kind) => seenBy.includes(kind))!].key, ids: things[0]!.ids }
  }

  function bodyOf({ operationId, hasBody }: Operation): unknown {
    if (!hasBody) return undefined
    if (!bodies[operationId]) throw new Error(`No valid body exists for ${operationId}. Add the body to the list.`)
    return bodies[operationId]
  }

  async function ask({ method, path }: Operation, key: string | undefined, ids?: readonly string[], body?: unknown) {
    count.cases++
    return board.call(method, fill(path, ids), { key, body })
  }

  /** Returns all data in the database, and the number of requests to webhooks. */
  const everything = async () => [await wholeDatabase(board.database), board.receiver.sent.length]

  /** Runs a check for every operation, asserts that no data changed, and returns the notes. */
  async function refused(ask: (operation: Operation, note: (...words: unknown[]) => void) => Promise<void>) {
    const notes: unknown[] = []
    const before = await everything()
    for (const operation of operations)
      await ask(operation, (...words) => notes.push([operation.operationId, ...words]))
    expect(await everything()).toEqual(before)
    return notes
  }

  return {
    ...{
      board,
      owners,
      strangers,
      shelves,
      deadKeys,
      limitedKeys,
      narrowKeys,
      leavers,
      operations,
      publicOperations,
      count,
    },
    ...{ kindOf, shelfOf, permitted, bodyOf, ask, everything, refused },
  }
}
