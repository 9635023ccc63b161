/**
 * Authorization for every operation of the document, tested with every kind of caller that must be refused. The test fails for an
 * operation without a line in `policy`, a resource for its path or a valid body.
 */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { openAccount } from '../../src/features/accounts/index.ts'
import { type AccountKind, accountKinds } from '../../src/lib/api-keys.ts'
import { newId } from '../../src/lib/ids.ts'
import { type Scope, scopesOf } from '../../src/lib/scopes.ts'
import { alertBody, makeAlert } from '../support/alerts.ts'
import { apply } from '../support/applications.ts'
import { type Account, type Answer, expectStatus, jobBody, useBoard } from '../support/board.ts'
import { pdf } from '../support/documents.ts'
import { failedEmail } from '../support/mails.ts'
import { upload } from '../support/resumes.ts'
import { deliveriesOf, makeWebhook, WEBHOOKS, webhookBody } from '../support/webhooks.ts'
import { wholeDatabase } from '../support/whole-database.ts'

const EVERYONE = 'candidate employer admin integrator'

/**
 * The callers of each operation and the scope that they need. All callers of other kinds get the same error, which
 * depends on the first kind.
 */
const policy: readonly [callers: string, scope: Scope | null | Record<string, Scope>, operations: string][] = [
  [EVERYONE, null, 'getMe listEmployers getEmployer listEventTypes'],
  [EVERYONE, 'profile:read', 'listApiKeys'],
  [EVERYONE, 'profile:write', 'createApiKey deleteApiKey'],
  [EVERYONE, 'jobs:read', 'listJobs getJob listJobCategories listJobTypes'],
  [EVERYONE, 'webhooks:read', 'listEvents getEvent listWebhooks getWebhook listWebhookDeliveries'],
  [EVERYONE, 'webhooks:read', 'getWebhookDelivery getWebhookRecovery'],
  [EVERYONE, 'webhooks:write', 'createWebhook updateWebhook deleteWebhook rotateWebhookSecret testWebhook'],
  [EVERYONE, 'webhooks:write', 'retryWebhookDelivery recoverWebhook'],
  ['admin integrator', 'profile:write', 'registerCandidate registerEmployer'],
  ['candidate', 'profile:read', 'getCandidateProfile exportCandidate getDefaultResume listResumes'],
  ['candidate', 'profile:write', 'updateCandidateProfile deleteCandidateProfile uploadResume deleteResume'],
  ['candidate', 'applications:read', 'listApplications getApplication listSavedJobs'],
  ['candidate', 'applications:write', 'applyToJob withdrawApplication saveJob unsaveJob'],
  ['candidate', 'alerts:read', 'listJobAlerts getJobAlert listJobAlertMatches'],
  ['candidate', 'alerts:write', 'createJobAlert updateJobAlert deleteJobAlert'],
  [
    'candidate employer admin',
    { candidate: 'profile:read', employer: 'applications:read', admin: 'profile:read' },
    'downloadResume',
  ],
  ['employer admin', 'candidates:read', 'listCandidates getCandidate'],
  ['employer', 'profile:read', 'getEmployerProfile'],
  ['employer', 'profile:write', 'updateEmployerProfile deleteEmployerProfile'],
  ['employer admin', 'applications:read', 'listEmployerApplications getEmployerApplication'],
  ['employer admin', 'applications:write', 'updateApplicationStatus'],
  ['employer', 'jobs:write', 'createJob'],
  ['employer admin', 'jobs:write', 'updateJob deleteJob activateJob closeJob reopenJob'],
  ['employer admin', 'jobs:read', 'listOwnJobs getJobStatistics'],
  [EVERYONE, 'jobs:write', 'reportJob'],
  ['employer admin', 'payments:read', 'listProducts listPayments getPayment'],
  ['employer', 'payments:write', 'createPayment'],
  ['employer admin', 'payments:write', 'confirmPayment'],
  ['admin', 'admin:write', 'markPaymentPaid updateProduct upholdReport dismissReport restoreJob'],
  ['admin', 'admin:write', 'suspendAccount resumeAccount deleteAccount endSessions endSession'],
  ['admin', 'admin:write', 'createBlock deleteBlock retryEmail retryEmails runTask'],
  ['admin', 'admin:read', 'listAccounts getAccount listReports getReport'],
  ['admin', 'admin:read', 'listSessions listBlocks listEmails listTasks'],
]

/** All dangerous actions of the API (decision 0064). */
const dangerousActs =
  'deleteApiKey deleteCandidateProfile deleteEmployerProfile deleteAccount suspendAccount endSessions endSession'

/** A valid body for every operation that takes one, so that only the caller is wrong. */
const bodies: Record<string, object> = {
  createApiKey: { name: 'Taken over' },
  registerCandidate: { first_name: 'New', last_name: 'Person', email: 'new@candidate.example' },
  registerEmployer: { name: 'New employer', email: 'new@employer.example' },
  updateCandidateProfile: { headline: 'Taken over' },
  updateEmployerProfile: { description: 'Taken over' },
  createJob: jobBody({ title: 'Taken over' }),
  updateJob: { title: 'Taken over' },
  activateJob: {},
  closeJob: { reason: 'Taken over' },
  reopenJob: {},
  applyToJob: { cover_letter: 'Taken over' },
  saveJob: {},
  withdrawApplication: { reason: 'Taken over' },
  updateApplicationStatus: { status: 'reviewed' },
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
  suspendAccount: { reason: 'Taken over' },
  resumeAccount: {},
  createBlock: { kind: 'address', value: 'taken@over.example', reason: 'Taken over' },
  retryEmail: {},
  retryEmails: {},
  runTask: {},
  updateProduct: { name: 'Taken over' },
  createWebhook: webhookBody({ description: 'Taken over' }),
  updateWebhook: { description: 'Taken over' },
  rotateWebhookSecret: {},
  testWebhook: {},
  retryWebhookDelivery: {},
  recoverWebhook: { since: '2026-01-01' },
}

/** Lists that show some account kinds more than the resources that they own. */
const wideLists: Record<string, readonly AccountKind[]> = {
  '/candidates': ['admin'],
  '/employers/jobs': ['admin'],
  '/employers/applications': ['admin'],
  '/employers/payments': ['admin'],
  '/admin/reports': ['admin'],
  '/admin/accounts': ['admin'],
  '/admin/blocks': ['admin'],
  '/admin/emails': ['admin'],
  '/admin/tasks': ['admin'],
  '/events': ['admin', 'integrator'],
}

/** All private data of the owners contains this text, and no other data does. */
const SECRET = 'Quillonberry'

interface Thing {
  owner: Account
  /** The path parameters, in order. */
  ids: readonly string[]
}

/** The resources at a path, and the account kinds besides the owners that see them. */
interface Shelf {
  things: readonly Thing[]
  seenBy: readonly AccountKind[]
}

interface Operation {
  operationId: string
  method: string
  path: string
  hasBody: boolean
  /** The fields of the JSON body. */
  members: readonly string[]
  queryParameters: readonly string[]
  callers: Partial<Record<AccountKind, Scope | null>>
  needs: 'whole-key' | undefined
}

const board = useBoard()
const owners = {} as Record<AccountKind, Account>
const strangers = {} as Record<AccountKind, Account>
/** Shelves by path, up to its last parameter. */
const shelves: Record<string, Shelf> = {}
const deadKeys: Record<string, string> = {}
const limitedKeys = new Map<string, string>()
/** Keys by account kind: keys with all scopes but one, and an expiring key with every scope. */
const narrowKeys = new Map<AccountKind, readonly { name: string; key: string; scopes: readonly Scope[] }[]>()
/** Accounts that tests may delete. */
const leavers: Partial<Record<AccountKind, Account>> = {}
let operations: Operation[]
let cases = 0

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
  shelve('/employers/applications/{id}', 'admin', of(employer, application.id))
  shelve('/employers/payments/{id}', 'admin', of(employer, paymentId))
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
  shelve('/admin/products/{slug}', 'admin', of(owners.admin, 'job-post'))
  // A job that was never activated, which only its owner can see.
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

  operations = Object.entries(board.contract.document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const { operationId, parameters = [], requestBody, 'x-callers': callers = {}, 'x-needs': needs } = operation
      return {
        ...{ operationId, method: method.toUpperCase(), path, callers, needs },
        hasBody: requestBody !== undefined,
        members: Object.keys(requestBody?.content['application/json']?.schema.properties ?? {}),
        queryParameters: parameters.filter(({ in: where }) => where === 'query').map(({ name }) => name),
      }
    }),
  )
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
  // While registration is open, it needs no API key.
  await board.restart({ REGISTRATION: 'closed' })
})

const kindOf = (owner: Account) => accountKinds.find((kind) => owners[kind] === owner)!
const parametersIn = (path: string) => path.match(/\{\w+\}/g)?.length ?? 0

/** Returns the resources at an operation's path if the path has parameters. */
function shelfOf({ operationId, path }: Operation): Shelf {
  const shelf = shelves[path.replace(/(.*\}).*/, '$1')]
  if (!shelf || shelf.things.some(({ ids }) => ids.length !== parametersIn(path)))
    throw new Error(`There is no thing for ${operationId}: put one on a shelf`)
  return shelf
}

function bodyOf({ operationId, hasBody }: Operation): unknown {
  if (!hasBody) return undefined
  if (!bodies[operationId]) throw new Error(`There is no sound body for ${operationId}`)
  return bodies[operationId]
}

/** Returns the path with these ids. Missing ids are replaced by an unknown one. */
function fill(path: string, ids: readonly string[] = []): string {
  let index = 0
  return `/v1${path.replace(/\{\w+\}/g, () => ids[index++] ?? 'x')}`
}

async function ask({ method, path }: Operation, key: string | undefined, ids?: readonly string[], body?: unknown) {
  cases++
  return board.call(method, fill(path, ids), { key, body })
}

const wordsOf = ({ status, body }: Answer) => [status, body?.code, body?.title, body?.detail]

/** Returns all data in the database, and the number of requests to webhooks. */
const everything = async () => [await wholeDatabase(board.database), board.receiver.sent.length]

/** Runs a check for every operation, asserts that no data changed, and returns the notes. */
async function refused(ask: (operation: Operation, note: (...words: unknown[]) => void) => Promise<void>) {
  const notes: unknown[] = []
  const before = await everything()
  for (const operation of operations) await ask(operation, (...words) => notes.push([operation.operationId, ...words]))
  expect(await everything()).toEqual(before)
  return notes
}

const kindErrors: Record<AccountKind, string> = {
  candidate: 'candidate_account_required',
  employer: 'employer_account_required',
  admin: 'admin_account_required',
  integrator: 'admin_account_required',
}

test('every operation declares its intended callers', () => {
  const expected = policy.flatMap(([callers, scope, ids]) =>
    ids.split(' ').map((id) => {
      const scopeOf = (kind: string) => (scope && typeof scope === 'object' ? scope[kind] : scope)
      return [id, callers.split(' ').map((kind) => [kind, scopeOf(kind)])] as const
    }),
  )
  const declared = operations.map(({ operationId, callers }) => [operationId, Object.entries(callers)] as const)
  expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(expected))
  expect(declared.length).toBe(expected.length)
  for (const [id, callers] of declared) {
    for (const [kind, scope] of callers) if (scope) expect(scopesOf(kind as AccountKind), id).toContain(scope)
  }
})

test('no operation is open without a valid key', async () => {
  const notes = await refused(async (operation, note) => {
    const ids = parametersIn(operation.path) ? shelfOf(operation).things[0]!.ids : []
    for (const [name, key] of [['no key', undefined], ...Object.entries(deadKeys)] as const) {
      const answer = await ask(operation, key, ids, bodyOf(operation))
      const challenge = key === undefined ? 'Bearer' : 'Bearer error="invalid_token"'
      const { status, body, headers } = answer
      if (status !== 401 || body.code !== 'unauthorized' || headers.get('www-authenticate') !== challenge)
        note(name, ...wordsOf(answer))
    }
  })
  expect(notes).toEqual([])
})

test('no operation is open to accounts of other kinds, even for their own resources', async () => {
  const notes = await refused(async (operation, note) => {
    const [first] = Object.keys(operation.callers) as AccountKind[]
    const things = parametersIn(operation.path) ? shelfOf(operation).things : [undefined]
    for (const kind of accountKinds.filter((kind) => !(kind in operation.callers))) {
      for (const thing of things) {
        const answer = await ask(operation, owners[kind].key, thing?.ids, bodyOf(operation))
        if (answer.status !== 403 || answer.body.code !== kindErrors[first!]) note(kind, ...wordsOf(answer))
      }
    }
  })
  expect(notes).toEqual([])
})

test('no operation is open to keys without its scope, even for their own resources', async () => {
  const notes = await refused(async (operation, note) => {
    for (const [kind, scope] of Object.entries(operation.callers) as [AccountKind, Scope | null][]) {
      if (scope === null) continue
      const things = parametersIn(operation.path) ? shelfOf(operation).things : [undefined]
      for (const thing of things) {
        const answer = await ask(operation, limitedKeys.get(`${kind} ${scope}`)!, thing?.ids, bodyOf(operation))
        const { status, body } = answer
        if (status !== 403 || body.code !== 'insufficient_scope' || body.required_scope !== scope)
          note(kind, ...wordsOf(answer))
      }
    }
  })
  expect(notes).toEqual([])
})

test('every dangerous action is in the list and in the guide', () => {
  const declared = operations.filter(({ needs }) => needs === 'whole-key')
  expect(declared.map(({ operationId }) => operationId).sort()).toEqual(dangerousActs.split(' ').sort())
  const guide = readFileSync(new URL('../../docs/guide.md', import.meta.url), 'utf8')
  for (const { method, path } of declared) {
    expect(guide).toContain(`\`${method} ${path.replace(/\{(\w+)\}/g, ':$1')}\``)
  }
})

test('no dangerous action is open to a narrow key, even on its own resources', async () => {
  let tried = 0
  const notes = await refused(async (operation, note) => {
    if (operation.needs === undefined) return
    for (const [kind, scope] of Object.entries(operation.callers) as [AccountKind, Scope | null][]) {
      const keys = narrowKeys.get(kind)!.filter(({ scopes }) => scope === null || scopes.includes(scope))
      const things = parametersIn(operation.path) ? shelfOf(operation).things : [undefined]
      for (const { name, key } of keys) {
        for (const thing of things) {
          const answer = await ask(operation, key, thing?.ids, bodyOf(operation))
          if (answer.status !== 403 || answer.body.code !== 'insufficient_scope') note(kind, name, ...wordsOf(answer))
          tried++
        }
      }
    }
  })
  expect(notes).toEqual([])
  expect(tried).toBeGreaterThan(100)
})

describe('resources of other accounts', () => {
  test('are treated as nonexistent, whatever the request contains', async () => {
    const notes = await refused(async (operation, note) => {
      if (!parametersIn(operation.path)) return
      const { things, seenBy } = shelfOf(operation)
      for (const kind of Object.keys(operation.callers) as AccountKind[]) {
        if (seenBy.includes(kind)) continue
        const { key } = strangers[kind]
        for (const { ids } of things) {
          for (const body of operation.hasBody ? [bodyOf(operation), [], '{'] : [undefined]) {
            const nothing = ids.map((id) => id.replace(/_.*/, '_00000000000000000000000000'))
            const answer = await ask(operation, key, ids, body)
            // Deleting a saved job succeeds even if the job was never saved.
            if (operation.operationId === 'unsaveJob' && answer.status === 204) continue
            if (answer.status !== 404 || answer.body.code !== 'not_found') note(kind, body, ...wordsOf(answer))
            expect(wordsOf(answer)).toEqual(wordsOf(await ask(operation, key, nothing, body)))
          }
        }
      }
    })
    expect(notes).toEqual([])
  })

  test("are not found under the caller's own resources either", async () => {
    const notes = await refused(async (operation, note) => {
      if (parametersIn(operation.path) < 2) return
      const { things } = shelfOf(operation)
      for (const own of things) {
        for (const other of things.filter((thing) => thing !== own)) {
          const answer = await ask(operation, own.owner.key, [own.ids[0]!, other.ids[1]!], bodyOf(operation))
          if (answer.status !== 404 || answer.body.code !== 'not_found') note(...wordsOf(answer))
        }
      }
    })
    expect(notes).toEqual([])
  })

  /** Returns whether a response contains private data of the owners. */
  const tells = ({ body }: Answer) => {
    const text = JSON.stringify(body?.data ?? null)
    const isPublic = (path: string) => /^\/employers\/\{id\}|^\/admin\/(?:products|accounts)/.test(path)
    const ids = Object.entries(shelves).flatMap(([path, { things }]) =>
      isPublic(path) ? [] : things.flatMap((thing) => thing.ids),
    )
    return [SECRET, ...ids].some((secret) => text.includes(secret))
  }

  test('are only in lists of their owners and of account kinds that may see everything', async () => {
    let told = 0
    const notes = await refused(async (operation, note) => {
      const { method, path, callers, queryParameters } = operation
      if (method !== 'GET' || parametersIn(path)) return
      const seenBy = wideLists[path] ?? []
      const whole = { ...operation, path: queryParameters.includes('limit') ? `${path}?limit=100` : path }
      for (const kind of Object.keys(callers) as AccountKind[]) {
        const answer = await ask(whole, strangers[kind].key)
        if (tells(answer) !== seenBy.includes(kind)) note(kind, answer.text)
        if (tells(await ask(whole, owners[kind].key))) told++
      }
    })
    expect(notes).toEqual([])
    expect(told).toBeGreaterThan(20)
  })

  test('do not appear in a list when it is filtered by their id', async () => {
    const ids = new Set(Object.values(shelves).flatMap(({ things }) => things.flatMap((thing) => thing.ids)))
    let parameters = 0
    const notes = await refused(async (operation, note) => {
      const { method, path, callers } = operation
      const seenBy = wideLists[path] ?? []
      for (const name of operation.queryParameters.filter((name) => /(^|_)id(_|$)/.test(name))) {
        parameters++
        for (const kind of Object.keys(callers) as AccountKind[]) {
          if (seenBy.includes(kind)) continue
          for (const id of ids) {
            cases++
            const answer = await board.call(method, `/v1${path}?${name}=${id}`, { key: strangers[kind].key })
            if (answer.status !== 200 || (!name.endsWith('_not') && answer.body.data.length > 0) || tells(answer))
              note(kind, name, id, ...wordsOf(answer))
          }
        }
      }
    })
    expect(notes).toEqual([])
    expect(parameters).toBeGreaterThan(8)
  })

  test('cannot be referenced in a body', async () => {
    const idMembers = operations.flatMap(({ operationId, members }) =>
      members.filter((member) => member.endsWith('_id')).map((member) => `${operationId} ${member}`),
    )
    const { id } = await board.job(strangers.employer)
    const [draft, resume] = ['/jobs/{id}', '/candidates/resume/{id}'].map((path) => shelves[path]!.things[0]!.ids[0]!)
    const [job] = (await board.get('/v1/jobs', strangers.candidate.key)).body.data
    const requests: Record<string, readonly [AccountKind, method: string, path: string, body: object]> = {
      'updateJob employer_id': ['employer', 'PUT', `/v1/jobs/${id}`, { employer_id: owners.employer.id }],
      'applyToJob resume_id': [
        'candidate',
        'POST',
        `/v1/candidates/jobs/${job.id}/apply`,
        { cover_letter: 'Hello', resume_id: resume },
      ],
      'createPayment job_id': ['employer', 'POST', '/v1/employers/payments', { job_id: draft, products: ['job-post'] }],
    }
    expect(idMembers.toSorted()).toEqual(Object.keys(requests).toSorted())
    const before = await everything()
    for (const [name, [kind, method, path, body]] of Object.entries(requests)) {
      cases++
      const answer = await board.call(method, path, { key: strangers[kind].key, body })
      const pointers = answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)
      expect([answer.status, pointers], name).toEqual([422, [`#/${name.split(' ')[1]}`]])
    }
    expect(await everything()).toEqual(before)
  })
})

describe('an authorized caller', () => {
  /** Returns everything that the owners can read about their resources. */
  const readings = async () => {
    const texts: string[] = []
    for (const operation of operations.filter(({ method, path }) => method === 'GET' && path !== '/employers')) {
      const all = Object.values(owners).map((owner) => ({ owner, ids: [] }))
      for (const { owner, ids } of parametersIn(operation.path) ? shelfOf(operation).things : all) {
        const kind = kindOf(owner)
        // Admins and integrators see changes of other accounts.
        if (!(kind in operation.callers) || kind === 'admin' || kind === 'integrator') continue
        const { status, text } = await board.call('GET', fill(operation.path, ids), { key: owner.key })
        expect(status, operation.operationId).toBe(200)
        texts.push(`${operation.operationId} ${text}`)
      }
    }
    return texts
  }

  test('changes no account but its own', async () => {
    const before = await readings()
    expect(before.length).toBeGreaterThan(40)
    for (const operation of operations.filter(({ method, path }) => method !== 'GET' && !parametersIn(path))) {
      for (const kind of Object.keys(operation.callers) as AccountKind[]) {
        const { key } = operation.method === 'DELETE' ? leavers[kind]! : strangers[kind]
        const { status } = await ask(operation, key, [], operation.hasBody ? {} : undefined)
        expect([200, 202, 204, 422], `${operation.operationId} ${kind}`).toContain(status)
      }
    }
    expect(await readings()).toEqual(before)
  })

  test('succeeds where others fail, which proves that all resources and bodies are valid', async () => {
    const onThings = operations.filter(({ path }) => parametersIn(path))
    const isLast = ({ method, operationId }: Operation) =>
      Number(method === 'DELETE') + Number(operationId === 'deleteAccount')
    for (const operation of onThings.toSorted((a, b) => isLast(a) - isLast(b))) {
      const { things, seenBy } = shelfOf(operation)
      const seeing = seenBy.filter((kind) => kind in operation.callers).map((kind) => strangers[kind])
      let answered = 0
      for (const { owner, ids } of things) {
        const callers = kindOf(owner) in operation.callers ? [owner, ...seeing] : seeing
        // After a deletion, a second caller would get a 404.
        for (const { key } of operation.method === 'DELETE' ? callers.slice(0, 1) : callers) {
          const { status } = await ask(operation, key, ids, bodyOf(operation))
          expect([200, 201, 202, 204, 402, 409], operation.operationId).toContain(status)
          answered++
        }
      }
      // Candidates cannot see this job; the applications prove that they can see another one.
      if (!operation.path.startsWith('/candidates/jobs/')) expect(answered, operation.operationId).toBeGreaterThan(0)
    }
  })
})

test('the matrix has the expected size', () => {
  console.log(`ownership: ${cases} cases on ${operations.length} operations`)
  expect(cases / operations.length).toBeGreaterThan(30)
})
