/**
 * Authorization for every documented operation, tested with every kind of caller that must be refused. The test fails
 * for an operation without a line in `policy`, a resource for its path or a valid body.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { OPERATOR_ID } from '../../src/features/accounts/index.ts'
import { type AccountKind, accountKinds } from '../../src/lib/api-keys.ts'
import {
  includesRole,
  type MemberRole,
  type memberRoles,
  type Scope,
  type StaffRole,
  scopesOf,
} from '../../src/lib/scopes.ts'
import { ADMIN_KEY, type Answer } from '../support/board.ts'
import {
  checkQueryFirst,
  EVERYONE,
  fill,
  type Operation,
  parametersIn,
  SECRET,
  useEveryOperation,
  wordsOf,
} from '../support/every-operation.ts'
import { FEEDS, feedBody, makeFeed } from '../support/feeds.ts'
import { memberKey } from '../support/members.ts'

/**
 * The callers of each operation and the scope that they need. All other account kinds get the same error,
 * which depends on the first kind in the list.
 */
const policy: readonly [callers: string, scope: Scope | null | Record<string, Scope>, operations: string][] = [
  [EVERYONE, null, 'getMe listEmployers getEmployer listEventTypes getCurrencyRates'],
  [EVERYONE, 'profile:read', 'listApiKeys'],
  [EVERYONE, 'profile:write', 'createApiKey deleteApiKey'],
  [EVERYONE, 'jobs:read', 'listJobs getJob listJobCategories listJobTypes'],
  [EVERYONE, 'webhooks:read', 'listEvents streamEvents getEvent listWebhooks getWebhook listWebhookDeliveries'],
  [EVERYONE, 'webhooks:read', 'getWebhookDelivery getWebhookRecovery'],
  [EVERYONE, 'webhooks:write', 'createWebhook updateWebhook deleteWebhook rotateWebhookSecret testWebhook'],
  [EVERYONE, 'webhooks:write', 'retryWebhookDelivery recoverWebhook'],
  ['admin integrator', 'profile:write', 'registerCandidate registerEmployer'],
  ['candidate', 'profile:read', 'getCandidateProfile exportCandidate getDefaultResume listResumes'],
  ['candidate', 'profile:write', 'updateCandidateProfile deleteCandidateProfile uploadResume deleteResume'],
  ['candidate', 'applications:read', 'listApplications getApplication listSavedJobs'],
  ['candidate', 'applications:write', 'applyToJob draftApplication withdrawApplication saveJob unsaveJob'],
  ['candidate', 'alerts:read', 'listJobAlerts getJobAlert listJobAlertMatches'],
  ['candidate', 'alerts:write', 'createJobAlert updateJobAlert deleteJobAlert'],
  [
    'candidate employer admin',
    { candidate: 'profile:read', employer: 'applications:read', admin: 'profile:read' },
    'downloadResume',
  ],
  ['employer admin', 'candidates:read', 'listCandidates getCandidate'],
  ['employer', 'profile:read', 'getEmployerProfile listMembers getClaim'],
  ['employer', 'profile:write', 'inviteMember updateMember deleteMember createClaim verifyClaim'],
  ['employer', 'profile:write', 'updateEmployerProfile deleteEmployerProfile updateEmployerLogo deleteEmployerLogo'],
  ['employer', 'profile:write', 'updateEmployerCover deleteEmployerCover'],
  ['employer admin', 'applications:read', 'listEmployerApplications getEmployerApplication'],
  ['employer admin', 'applications:write', 'updateApplicationStatus moveApplications'],
  ['employer', 'applications:read', 'listApplicationNotes'],
  ['employer', 'applications:write', 'createApplicationNote deleteApplicationNote'],
  ['employer', 'applications:read', 'listApplicantMessages'],
  ['employer', 'applications:write', 'messageApplicant'],
  ['candidate', 'applications:read', 'listApplicationMessages'],
  ['candidate', 'applications:write', 'sendApplicationMessage'],
  ['employer', 'applications:read', 'getEmailTemplate previewEmailTemplate'],
  ['employer', 'applications:write', 'updateEmailTemplate'],
  ['employer', 'jobs:write', 'createJob'],
  ['employer admin', 'jobs:write', 'updateJob deleteJob activateJob closeJob reopenJob'],
  [
    'employer admin',
    'jobs:read',
    'listOwnJobs getJobStatistics getJobDuplicates listFeeds getFeed listFeedRuns getFeedRun',
  ],
  ['employer admin', 'jobs:write', 'createFeed updateFeed deleteFeed createFeedRun createFeedDocument'],
  ['employer admin', 'jobs:write', 'approveFeedRun discardFeedRun'],
  [EVERYONE, 'jobs:write', 'reportJob'],
  ['employer admin', 'payments:read', 'listProducts listPayments getPayment getInvoice'],
  ['employer', 'payments:write', 'createPayment'],
  ['employer admin', 'payments:write', 'confirmPayment'],
  ['admin', 'admin:write', 'markPaymentPaid updateProduct replaceCurrencyRates upholdReport dismissReport restoreJob'],
  [
    'admin',
    'admin:write',
    'suspendAccount resumeAccount deleteAccount endSessions endSession deletePasskeys decideDuplicates',
  ],
  ['admin', 'admin:write', 'deleteVerification createBlock deleteBlock retryEmail retryEmails runTask'],
  ['admin', 'admin:write', 'updateBoard updateBoardLogo deleteBoardLogo updateBoardPage deleteBoardPage'],
  ['admin', 'admin:read', 'getBoardPage'],
  ['admin', 'admin:read', 'listAccounts getAccount listReports getReport'],
  ['admin', 'admin:read', 'listSessions listBlocks listEmails listTasks listStaff listDuplicateDecisions'],
  ['admin', 'admin:write', 'inviteStaff updateStaff deleteStaff'],
]

/** The lowest role that a member needs for each operation that employers may call. */
const roles: readonly [role: (typeof memberRoles)[number], operations: string][] = [
  ['viewer', 'getMe listEmployers getEmployer listEventTypes getCurrencyRates getEmployerProfile listMembers'],
  ['viewer', 'getClaim'],
  [
    'viewer',
    'listJobs getJob getJobDuplicates listJobCategories listJobTypes listCandidates getCandidate downloadResume',
  ],
  ['viewer', 'listEmployerApplications getEmployerApplication listApplicationNotes createApplicationNote'],
  ['viewer', 'deleteApplicationNote listApplicantMessages getEmailTemplate previewEmailTemplate'],
  ['viewer', 'listOwnJobs getJobStatistics listFeeds getFeed listFeedRuns getFeedRun'],
  ['viewer', 'listProducts listPayments getPayment getInvoice'],
  ['recruiter', 'updateApplicationStatus moveApplications messageApplicant updateEmailTemplate'],
  ['recruiter', 'createJob updateJob deleteJob activateJob closeJob reopenJob reportJob'],
  ['recruiter', 'createFeed updateFeed deleteFeed createFeedRun createFeedDocument approveFeedRun discardFeedRun'],
  ['recruiter', 'createPayment confirmPayment'],
  ['owner', 'listApiKeys createApiKey deleteApiKey inviteMember updateMember deleteMember'],
  ['owner', 'listEvents streamEvents getEvent listWebhooks getWebhook listWebhookDeliveries getWebhookDelivery'],
  ['owner', 'getWebhookRecovery createWebhook updateWebhook deleteWebhook rotateWebhookSecret testWebhook'],
  ['owner', 'retryWebhookDelivery recoverWebhook updateEmployerProfile deleteEmployerProfile'],
  ['owner', 'updateEmployerLogo deleteEmployerLogo updateEmployerCover deleteEmployerCover createClaim verifyClaim'],
]

/** The lowest role of the board's staff for each operation that admins may call. */
const staff: readonly [role: StaffRole, operations: string][] = [
  ['moderator', 'getMe listEmployers getEmployer listEventTypes getCurrencyRates'],
  ['moderator', 'listJobs getJob listJobCategories listJobTypes listOwnJobs getJobStatistics getJobDuplicates'],
  ['moderator', 'updateJob deleteJob activateJob closeJob reopenJob reportJob restoreJob decideDuplicates'],
  ['moderator', 'listDuplicateDecisions'],
  ['moderator', 'listReports getReport upholdReport dismissReport'],
  ['moderator', 'listAccounts getAccount listSessions'],
  ['admin', 'listApiKeys createApiKey deleteApiKey listStaff inviteStaff updateStaff deleteStaff'],
  ['admin', 'listEvents streamEvents getEvent listWebhooks getWebhook listWebhookDeliveries getWebhookDelivery'],
  ['admin', 'getWebhookRecovery createWebhook updateWebhook deleteWebhook rotateWebhookSecret testWebhook'],
  ['admin', 'retryWebhookDelivery recoverWebhook registerCandidate registerEmployer'],
  ['admin', 'listCandidates getCandidate downloadResume listEmployerApplications getEmployerApplication'],
  ['admin', 'updateApplicationStatus moveApplications'],
  ['admin', 'listFeeds getFeed listFeedRuns getFeedRun createFeed updateFeed deleteFeed createFeedRun'],
  ['admin', 'createFeedDocument approveFeedRun discardFeedRun'],
  ['admin', 'listProducts listPayments getPayment getInvoice confirmPayment markPaymentPaid updateProduct'],
  ['admin', 'suspendAccount resumeAccount deleteAccount endSessions endSession deletePasskeys'],
  ['admin', 'listBlocks createBlock deleteBlock listEmails retryEmail retryEmails listTasks runTask'],
  ['admin', 'getBoardPage updateBoard updateBoardLogo deleteBoardLogo updateBoardPage deleteBoardPage'],
  ['admin', 'replaceCurrencyRates deleteVerification'],
]

/** The operations that publishable keys may call. */
const published = 'listJobs getJob listJobCategories listJobTypes listEmployers getEmployer'

/** All dangerous API actions (decision 0064). */
const dangerousActs =
  'inviteMember updateMember deleteMember inviteStaff updateStaff deleteStaff deleteApiKey deleteCandidateProfile deleteEmployerProfile deleteAccount suspendAccount endSessions endSession deletePasskeys'

/** Lists in which the named account kinds also see the resources of other accounts. */
const wideLists: Record<string, readonly AccountKind[]> = {
  '/candidates': ['admin'],
  '/employers/jobs': ['admin'],
  '/feeds': ['admin'],
  '/employers/applications': ['admin'],
  '/employers/payments': ['admin'],
  '/admin/reports': ['admin'],
  '/admin/accounts': ['admin'],
  '/admin/blocks': ['admin'],
  '/admin/emails': ['admin'],
  '/admin/tasks': ['admin'],
  '/admin/members': ['admin'],
  '/events': ['admin', 'integrator'],
}

const { board, owners, strangers, shelves, deadKeys, limitedKeys, narrowKeys, leavers, operations, count, ...world } =
  useEveryOperation()
const { kindOf, shelfOf, bodyOf, ask, everything, refused } = world

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
  expect(world.publicOperations).toEqual(['getBoard'])
  for (const [id, callers] of declared) {
    for (const [kind, scope] of callers) if (scope) expect(scopesOf(kind as AccountKind), id).toContain(scope)
  }
})

test('no operation except getBoard is open without a valid key', async () => {
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

test('no operation is open to account kinds that it does not declare, even for their own resources', async () => {
  const notes = await refused(async (operation, note) => {
    const callers = Object.keys(operation.callers) as AccountKind[]
    const listed = callers.join(', ').replace(/, (\w+)$/, ' and $1')
    const things = parametersIn(operation.path) ? shelfOf(operation).things : [undefined]
    for (const kind of accountKinds.filter((kind) => !(kind in operation.callers))) {
      for (const thing of things) {
        const answer = await ask(operation, owners[kind].key, thing?.ids, bodyOf(operation))
        const { status, body } = answer
        const isExpected =
          body.code === kindErrors[callers[0]!] && body.detail === `Only ${listed} accounts may do this.`
        if (status !== 403 || !isExpected) note(kind, ...wordsOf(answer))
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

test('no operation is open to publishable keys, except operations that read the board', async () => {
  const keys = await Promise.all(
    (['employer', 'integrator', 'admin'] as const).map(async (kind) => {
      const body = { name: 'Website', kind: 'publishable' }
      return [kind, (await board.post('/v1/api-keys', owners[kind].key, body)).body.data.key] as const
    }),
  )
  const notes = await refused(async (operation, note) => {
    if (published.split(' ').includes(operation.operationId)) return
    const things = parametersIn(operation.path) ? shelfOf(operation).things : [undefined]
    for (const [kind, key] of keys) {
      for (const thing of things) {
        const answer = await ask(operation, key, thing?.ids, bodyOf(operation))
        if (answer.status !== 403 || answer.body.code !== 'publishable_key') note(kind, ...wordsOf(answer))
      }
    }
  })
  expect(notes).toEqual([])
  const declared = operations.filter(({ isPublishable }) => isPublishable).map(({ operationId }) => operationId)
  expect(declared.sort()).toEqual(published.split(' ').sort())
})

test.each([
  ['employer', () => owners.employer, roles, ['recruiter', 'viewer']],
  // The members of the operator's account are the staff.
  ['admin', () => ({ id: OPERATOR_ID, key: ADMIN_KEY }), staff, ['admin', 'moderator']],
] as const)(
  'members of %s accounts can use the GET operations of their role, and no operation of a higher role',
  async (kind, accountOf, table, held) => {
    const account = accountOf()
    const expected: Record<string, MemberRole> = {}
    for (const [role, ids] of table) for (const id of ids.split(' ')) expected[id] = role
    const ofKind = operations.filter(({ callers }) => kind in callers)
    expect(Object.fromEntries(ofKind.map(({ operationId, roles }) => [operationId, roles[kind]]))).toEqual(expected)
    const keys = await Promise.all(held.map(async (role) => [role, await memberKey(board, account, role)] as const))
    const notes = await refused(async (operation, note) => {
      if (!(kind in operation.callers)) return
      const least = operation.roles[kind]!
      const things = parametersIn(operation.path) ? shelfOf(operation).things : [undefined]
      for (const [role, key] of keys) {
        if (includesRole(role, least)) continue
        for (const thing of things) {
          const answer = await ask(operation, key, thing?.ids, bodyOf(operation))
          const { status, body } = answer
          if (status !== 403 || body.code !== 'insufficient_role' || body.required_role !== least)
            note(role, ...wordsOf(answer))
        }
      }
    })
    expect(notes).toEqual([])
    for (const operation of ofKind) {
      const { operationId, path, isLasting, method, roles: least } = operation
      if (method !== 'GET' || isLasting) continue
      const shelf = parametersIn(path) ? shelfOf(operation) : undefined
      const seen = (owner: unknown) => owner === account || shelf?.seenBy.includes(kind)
      const own = shelf?.things.find((thing) => seen(thing.owner))
      if (shelf && !own) continue
      for (const [role, key] of keys) {
        if (!includesRole(role, least[kind]!)) continue
        const { status } = await ask(operation, key, own?.ids)
        expect([operationId, role, status]).toEqual([
          operationId,
          role,
          (await ask(operation, account.key, own?.ids)).status,
        ])
      }
    }
  },
)

test('every dangerous action is in the list and in the guide', () => {
  const declared = operations.filter(({ needs }) => needs === 'whole-key')
  expect(declared.map(({ operationId }) => operationId).sort()).toEqual(dangerousActs.split(' ').sort())
  const guide = readFileSync(new URL('../../docs/guide.md', import.meta.url), 'utf8')
  for (const { method, path } of declared) {
    expect(guide).toContain(`\`${method} ${path.replace(/\{(\w+)\}/g, ':$1')}\``)
  }
})

test('no dangerous action is open to a narrow key, even for its own resources', async () => {
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
          const invalid = { ...operation, path: `${operation.path}?color=red` }
          const { status } = await ask(invalid, key, ids, bodyOf(operation))
          if (status !== (checkQueryFirst.includes(operation.operationId) ? 400 : 404))
            note(kind, 'an unknown parameter', status)
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

  /** Returns whether a response contains the owners' private data. */
  const tells = ({ body }: Answer) => {
    const text = JSON.stringify(body?.data ?? null)
    const isPublic = (path: string) => /^\/employers\/\{id\}$|^\/admin\/(?:products|accounts|employers)/.test(path)
    const ids = Object.entries(shelves).flatMap(([path, { things }]) =>
      // Employers are public, but not their claims.
      isPublic(path) ? [] : things.flatMap(({ ids }) => (path.startsWith('/employers/{id}/') ? ids.slice(1) : ids)),
    )
    return [SECRET, ...ids].some((secret) => text.includes(secret))
  }

  test('appear only in lists of their owners and of account kinds that may see everything', async () => {
    let told = 0
    const notes = await refused(async (operation, note) => {
      const { method, path, callers, queryParameters } = operation
      // A separate test covers `streamEvents`.
      if (method !== 'GET' || parametersIn(path) || operation.isLasting) return
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

  test('do not appear in a list when it is filtered by their ID', async () => {
    const ids = new Set(Object.values(shelves).flatMap(({ things }) => things.flatMap((thing) => thing.ids)))
    let parameters = 0
    const notes = await refused(async (operation, note) => {
      const { method, path, callers } = operation
      // The jobs on the board are public, and so are their employers.
      if (path === '/jobs') return
      const seenBy = wideLists[path] ?? []
      for (const name of operation.queryParameters.filter((name) => /(^|_)id(_|$)/.test(name))) {
        parameters++
        for (const kind of Object.keys(callers) as AccountKind[]) {
          if (seenBy.includes(kind)) continue
          for (const id of ids) {
            count.cases++
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
      members.filter((member) => /(?<!vat)_id$/.test(member)).map((member) => `${operationId} ${member}`),
    )
    const { id } = await board.job(strangers.employer)
    const [draft, resume] = ['/jobs/{id}', '/candidates/resume/{id}'].map((path) => shelves[path]!.things[0]!.ids[0]!)
    const [job] = (await board.get('/v1/jobs', strangers.candidate.key)).body.data
    const ownFeed = (await makeFeed(board, {}, strangers.employer.key)).id
    const requests: Record<string, readonly [AccountKind, method: string, path: string, body: object]> = {
      'updateJob employer_id': ['employer', 'PUT', `/v1/jobs/${id}`, { employer_id: owners.employer.id }],
      'applyToJob resume_id': [
        'candidate',
        'POST',
        `/v1/candidates/jobs/${job.id}/apply`,
        { cover_letter: 'Hello', resume_id: resume },
      ],
      'draftApplication resume_id': [
        'candidate',
        'POST',
        `/v1/candidates/jobs/${job.id}/draft`,
        { cover_letter: 'Hello', resume_id: resume },
      ],
      'createFeed employer_id': ['employer', 'POST', FEEDS, feedBody({ employer_id: owners.employer.id })],
      'updateFeed employer_id': ['employer', 'PUT', `${FEEDS}/${ownFeed}`, { employer_id: owners.employer.id }],
      'createPayment job_id': ['employer', 'POST', '/v1/employers/payments', { job_id: draft, products: ['job-post'] }],
    }
    expect(idMembers.toSorted()).toEqual(Object.keys(requests).toSorted())
    const before = await everything()
    for (const [name, [kind, method, path, body]] of Object.entries(requests)) {
      count.cases++
      const answer = await board.call(method, path, { key: strangers[kind].key, body })
      const pointers = answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)
      expect([answer.status, pointers], name).toEqual([422, [`#/${name.split(' ')[1]}`]])
    }
    expect(await everything()).toEqual(before)
  })
})

describe('an authorized caller', () => {
  /** Returns the GET responses to the candidate and the employer in `owners`, without the employer list and streams. */
  const readings = async () => {
    const texts: string[] = []
    for (const operation of operations.filter(
      ({ method, path, isLasting }) => method === 'GET' && path !== '/employers' && !isLasting,
    )) {
      const all = Object.values(owners).map((owner) => ({ owner, ids: [] }))
      for (const { owner, ids } of parametersIn(operation.path) ? shelfOf(operation).things : all) {
        const kind = kindOf(owner)
        // Admins and integrators see changes to other accounts.
        if (!(kind in operation.callers) || kind === 'admin' || kind === 'integrator') continue
        const { status, text } = await board.call('GET', fill(operation.path, ids), { key: owner.key })
        expect(status, operation.operationId).toBe(200)
        texts.push(`${operation.operationId} ${text}`)
      }
    }
    return texts
  }

  test('changes only its own account', async () => {
    const before = await readings()
    expect(before.length).toBeGreaterThan(40)
    const onNothing = operations.filter(({ method, path }) => method !== 'GET' && !parametersIn(path))
    // The account must exist until all other operations have run.
    const isLast = ({ operationId }: Operation) => Number(/^delete\w+Profile$/.test(operationId))
    for (const operation of onNothing.toSorted((a, b) => isLast(a) - isLast(b))) {
      for (const kind of Object.keys(operation.callers) as AccountKind[]) {
        // No account owns the board's logo.
        if (operation.operationId === 'deleteBoardLogo') continue
        const { key } = operation.method === 'DELETE' ? leavers[kind]! : strangers[kind]
        const { status } = await ask(operation, key, [], operation.hasBody ? {} : undefined)
        // These accounts have no pictures to delete.
        const expected = /^deleteEmployer(?:Logo|Cover)$/.test(operation.operationId) ? [404] : [200, 202, 204, 422]
        expect(expected, `${operation.operationId} ${kind}`).toContain(status)
      }
    }
    expect(await readings()).toEqual(before)
  })

  test('gets no authorization or validation error, which proves that all resources and bodies are valid', async () => {
    const onThings = operations.filter(({ path }) => parametersIn(path))
    const isLast = ({ method, operationId }: Operation) =>
      // A new claim replaces the one on the shelf.
      Number(method === 'DELETE' || operationId === 'createClaim') + Number(operationId === 'deleteAccount')
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
      // The job on this shelf is an employer's draft, and only candidates may call these operations, so none is called.
      if (!operation.path.startsWith('/candidates/jobs/')) expect(answered, operation.operationId).toBeGreaterThan(0)
    }
  })
})

test('the matrix has more than 30 cases per operation on average', () => {
  const { cases } = count
  console.log(`ownership: ${cases} cases on ${operations.length} operations`)
  expect(cases / operations.length).toBeGreaterThan(30)
})
