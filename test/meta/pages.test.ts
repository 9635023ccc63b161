/** Access to every page. The test fails for a page without an entry in `policy`. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type AccountKind, accountKinds } from '../../src/lib/api-keys.ts'
import { scopesOf } from '../../src/lib/scopes.ts'
import { useBoard } from '../support/board.ts'
import { type Visitor, visitor } from '../support/pages.ts'

const all = 'candidate employer admin integrator'
/** `everyone` includes visitors. Each page refuses the account kinds that its line omits. */
const policy: readonly [who: 'everyone' | string, pages: string][] = [
  ['everyone', 'GET / | GET /docs | GET /docs/guide | GET /docs/webhooks | GET /docs/agents | GET /docs/search'],
  [
    'everyone',
    'GET /docs/guide.md | GET /docs/webhooks.md | GET /docs/agents.md | GET /docs/errors.md | GET /docs/errors | GET /docs/errors/:code | GET /llms.txt',
  ],
  ['everyone', 'GET /jobs | GET /jobs/:id | GET /jobs.md | GET /companies.md | GET /index.md'],
  [
    'everyone',
    'GET /jobs/suggestions | GET /jobs/places | GET /jobs.atom | GET /jobs.rss | GET /jobs.json | GET /jobs.jsonl | GET /jobs.xml | GET /jobs.linkedin.xml',
  ],
  // Visitors may report jobs, but accounts need the scope of the operation.
  ['everyone', 'GET /jobs/:id/report | POST /jobs/:id/report'],
  ['everyone', 'GET /pages/:slug | GET /icon.svg | GET /site.webmanifest'],
  ['everyone', 'GET /icon-192.png | GET /icon-512.png | GET /apple-touch-icon.png'],
  ['everyone', 'GET /share/jobs/:id/:file | GET /share/companies/:id/:file | GET /share/board/:file'],
  ['everyone', 'GET /companies | GET /companies/:id | GET /robots.txt | GET /sitemap.xml | GET /sitemaps/:file'],
  ['everyone', 'GET /sign-in | GET /sign-in/sent | GET /sign-in/link | POST /sign-in/link | POST /sign-in/link/use'],
  ['everyone', 'POST /sign-in/passkey | POST /sign-in/passkey/options'],
  ['everyone', 'POST /sign-in/key | POST /sign-out | GET /invitation | POST /invitation/accept'],
  // The next two lines apply while registration is open.
  ['everyone', 'GET /register | GET /register/candidate | POST /register/candidate'],
  ['everyone', 'GET /register/employer | POST /register/employer'],
  ['employer', 'GET /employer/jobs | GET /employer/jobs/new | POST /employer/jobs/new | GET /employer/jobs/:id'],
  ['employer', 'GET /employer/jobs/:id/edit | POST /employer/jobs/:id/edit | GET /employer/jobs/:id/preview'],
  ['employer', 'POST /employer/jobs/preview'],
  ['employer', 'POST /employer/jobs/:id/activate | POST /employer/jobs/:id/close | POST /employer/jobs/:id/reopen'],
  ['employer', 'POST /employer/jobs/:id/duplicate | GET /employer/jobs/:id/delete | POST /employer/jobs/:id/delete'],
  ['employer', 'GET /employer/jobs/:id/pay | POST /employer/jobs/:id/pay | GET /employer/jobs/:id/statistics'],
  ['employer', 'GET /employer/payments | GET /employer/payments/:id | GET /employer/profile | POST /employer/profile'],
  ['employer', 'GET /employer/payments/:id/invoice'],
  ['employer', 'POST /employer/profile/logo | POST /employer/profile/logo/remove'],
  ['employer', 'POST /employer/profile/cover | POST /employer/profile/cover/remove'],
  ['employer', 'GET /employer/profile/close | POST /employer/profile/close'],
  ['employer', 'GET /employer'],
  [
    'employer',
    'GET /employer/team | POST /employer/team | POST /employer/team/:id/invite | POST /employer/team/:id/role',
  ],
  ['employer', 'GET /employer/verification | POST /employer/verification | POST /employer/verification/check'],
  [
    'employer',
    'GET /employer/verification/:id | POST /employer/verification/:id | POST /employer/verification/:id/check',
  ],
  ['employer', 'POST /employer/team/:id/remove'],
  ['employer', 'GET /employer/applications | GET /employer/applications/:id | POST /employer/applications/:id'],
  ['employer', 'POST /employer/applications/:id/move | POST /employer/applications/move'],
  ['employer', 'GET /employer/applications/export'],
  ['employer', 'GET /employer/applications/emails/:status | POST /employer/applications/emails/:status'],
  ['employer', 'POST /employer/applications/:id/assessment | POST /employer/applications/:id/notes'],
  ['employer', 'POST /employer/applications/:id/notes/:note_id/delete | POST /employer/applications/:id/messages'],
  [
    'employer',
    'GET /employer/resumes/:id | GET /employer/resumes/:id/view | GET /employer/candidates | GET /employer/candidates/:id',
  ],
  // As in the API, every kind of account has keys, webhooks and events.
  [
    all,
    'GET /console | GET /console/keys | GET /console/keys/new | POST /console/keys | POST /console/keys/:id/revoke',
  ],
  ['employer integrator admin', 'GET /console/widget'],
  [all, 'GET /console/events | GET /console/events/:id | GET /console/live | GET /console/live/stream'],
  [all, 'GET /console/webhooks | GET /console/webhooks/new | POST /console/webhooks | GET /console/webhooks/:id'],
  [all, 'GET /console/webhooks/:id/edit | POST /console/webhooks/:id | POST /console/webhooks/:id/delete'],
  [all, 'GET /console/webhooks/:id/secret | POST /console/webhooks/:id/rotate-secret'],
  [all, 'GET /console/webhooks/:id/test | POST /console/webhooks/:id/test'],
  [all, 'GET /console/webhooks/:id/deliveries/:delivery_id | POST /console/webhooks/:id/deliveries/:delivery_id/retry'],
  [all, 'GET /console/webhooks/:id/recover | POST /console/webhooks/:id/recover'],
  [all, 'GET /console/webhooks/:id/recoveries/:recovery_id'],
  ['employer admin', 'GET /console/feeds | GET /console/feeds/new | POST /console/feeds | GET /console/feeds/:id'],
  ['employer admin', 'GET /console/feeds/:id/edit | POST /console/feeds/:id | GET /console/feeds/:id/delete'],
  ['employer admin', 'POST /console/feeds/:id/delete | POST /console/feeds/:id/runs'],
  ['employer admin', 'GET /console/feeds/:id/runs/:run_id | POST /console/feeds/:id/runs/:run_id/approve'],
  ['employer admin', 'POST /console/feeds/:id/runs/:run_id/discard'],
  ['admin', 'GET /desk | GET /desk/queues | GET /desk/storage | GET /desk/settings | POST /desk/settings/registration'],
  ['admin', 'GET /desk/staff | POST /desk/staff | POST /desk/staff/:id/invite | POST /desk/staff/:id/role'],
  ['admin', 'POST /desk/staff/:id/remove'],
  ['admin', 'GET /desk/accounts | GET /desk/accounts/:id | POST /desk/accounts/:id/suspend'],
  ['admin', 'POST /desk/accounts/:id/resume | POST /desk/accounts/:id/keys/:key_id/revoke'],
  ['admin', 'POST /desk/accounts/:id/delete | POST /desk/accounts/:id/sessions/end'],
  ['admin', 'POST /desk/accounts/:id/sessions/:session_id/end | POST /desk/accounts/:id/passkeys/remove'],
  ['admin', 'GET /desk/blocks | POST /desk/blocks | POST /desk/blocks/:id/delete'],
  ['admin', 'GET /desk/emails | POST /desk/emails/retry | GET /desk/emails/:id | POST /desk/emails/:id/retry'],
  ['admin', 'GET /desk/emails/previews | GET /desk/emails/previews/message'],
  ['admin', 'GET /desk/tasks | POST /desk/tasks/:name/run'],
  ['admin', 'GET /desk/payments | GET /desk/payments/:id | POST /desk/payments/:id/mark-paid'],
  ['admin', 'GET /desk/payments/:id/invoice'],
  ['admin', 'GET /desk/board | POST /desk/board | POST /desk/board/logo/remove'],
  ['admin', 'GET /desk/board/new-page | POST /desk/board/new-page'],
  ['admin', 'GET /desk/board/pages/:slug | POST /desk/board/pages/:slug | POST /desk/board/pages/:slug/delete'],
  ['admin', 'GET /desk/catalogue | GET /desk/catalogue/:kind | POST /desk/catalogue/:kind'],
  ['admin', 'GET /desk/catalogue/:kind/:slug | POST /desk/catalogue/:kind/:slug'],
  ['admin', 'POST /desk/catalogue/:kind/:slug/move | POST /desk/catalogue/:kind/:slug/remove'],
  ['employer', 'POST /account/emails'],
  [
    'candidate employer admin integrator',
    'GET /home | GET /account | GET /account/choose | POST /account/choose | POST /account/language | POST /account/sign-out-everywhere',
  ],
  [
    'admin',
    'GET /desk/search | GET /desk/activity | GET /desk/activity/export | GET /desk/companies | POST /desk/companies/:id/unverify',
  ],
  ['admin', 'GET /desk/jobs | GET /desk/jobs/:id | POST /desk/jobs/:id/remove | POST /desk/jobs/:id/restore'],
  ['admin', 'GET /desk/duplicates | GET /desk/duplicates/:id/:other_id | POST /desk/duplicates/:id/:other_id'],
  ['admin', 'GET /desk/duplicates/decisions'],
  ['admin', 'GET /desk/products | GET /desk/products/:slug | POST /desk/products/:slug'],
  ['admin', 'GET /desk/currency-rates | POST /desk/currency-rates'],
  ['admin', 'GET /desk/reports | GET /desk/reports/:id | POST /desk/reports/:id/uphold'],
  ['admin', 'POST /desk/reports/:id/dismiss | POST /desk/reports/:id/restore'],
  [all, 'GET /account/access | POST /account/access/end'],
  [all, 'GET /account/passkeys | POST /account/passkeys | POST /account/passkeys/options'],
  [all, 'POST /account/passkeys/:id/remove'],
  ['candidate', 'GET /me | GET /me/profile | POST /me/profile'],
  ['candidate', 'GET /me/data | GET /me/data/export | GET /me/data/erase | POST /me/data/erase'],
  ['candidate', 'GET /me/resumes | POST /me/resumes | GET /me/resumes/:id | POST /me/resumes/:id/delete'],
  ['candidate', 'GET /me/saved-jobs | POST /jobs/:id/save | POST /jobs/:id/unsave'],
  ['candidate', 'GET /jobs/:id/apply | POST /jobs/:id/apply | POST /jobs/:id/apply/discard'],
  ['candidate', 'GET /me/applications | GET /me/applications/:id | POST /me/applications/:id/withdraw'],
  ['candidate', 'POST /me/applications/:id/messages'],
  ['candidate', 'GET /me/alerts | GET /me/alerts/new | POST /me/alerts/new | GET /me/alerts/:id | POST /me/alerts/:id'],
  ['candidate', 'POST /me/alerts/:id/pause | POST /me/alerts/:id/resume | POST /me/alerts/:id/delete'],
]

/** The dangerous actions on pages, with the separate pages of their forms (decision 0064). */
const dangerousActs = [
  'POST /account/sign-out-everywhere | GET /account/access | POST /account/access/end',
  'POST /account/passkeys | POST /account/passkeys/options | POST /account/passkeys/:id/remove',
  'GET /me/data/erase | POST /me/data/erase | POST /console/keys/:id/revoke',
  'GET /employer/profile/close | POST /employer/profile/close',
  'POST /employer/team | POST /employer/team/:id/invite | POST /employer/team/:id/role | POST /employer/team/:id/remove',
  'POST /desk/staff | POST /desk/staff/:id/invite | POST /desk/staff/:id/role | POST /desk/staff/:id/remove',
  'POST /desk/accounts/:id/suspend | POST /desk/accounts/:id/keys/:key_id/revoke | POST /desk/accounts/:id/delete',
  'POST /desk/accounts/:id/sessions/end | POST /desk/accounts/:id/sessions/:session_id/end',
  'POST /desk/accounts/:id/passkeys/remove',
].flatMap((line) => line.split(' | '))

/** The pages that require a fresh sign-in, but no whole key. A narrow session's keys are as narrow as the session. */
const freshActs = ['GET /console/keys/new', 'POST /console/keys']

const board = useBoard()
const visitors = new Map<AccountKind | 'visitor', Visitor>()

beforeAll(async () => {
  visitors.set('visitor', await visitor(board))
  for (const kind of accountKinds) visitors.set(kind, await visitor(board, await board.account(kind)))
})

const rows = policy.flatMap(([who, pages]) => pages.split(' | ').map((page) => [page, who] as const))

test('every page is in the policy, and every entry of the policy is a page', () => {
  expect(rows.map(([page]) => page).sort()).toEqual([...board.service.pages].sort())
})

test.each(rows.filter(([, who]) => who !== 'everyone'))('%s refuses everyone except: %s', async (page, who) => {
  const [method, path] = page.split(' ') as [string, string]
  // The ID can be unknown, because access is refused before the resource is looked up.
  const concrete = path.replace(/:\w+/g, 'x')
  const guest = visitors.get('visitor')!
  const token = await guest.csrfToken()
  const refused = await guest.send(
    method,
    concrete,
    method === 'GET' ? {} : { body: new URLSearchParams({ _csrf: token }) },
  )
  const location = refused.headers.get('location')
  expect([refused.status, location]).toEqual([303, expect.stringMatching(/^\/(sign-in|register)\b/)])
  for (const kind of accountKinds.filter((kind) => !who.split(' ').includes(kind))) {
    const other = visitors.get(kind)!
    expect((await other.send(method, concrete)).status, kind).toBe(403)
  }
})

describe('dangerous actions', () => {
  /** Requests a page as this visitor, with a valid token for a POST. The resources in the path do not exist. */
  async function attempt(who: Visitor, page: string) {
    const [method, path] = page.split(' ') as [string, string]
    const body = new URLSearchParams({ _csrf: await who.csrfToken() })
    return who.send(method, path.replace(/:\w+/g, 'x'), method === 'GET' ? {} : { body })
  }
  const kindsOf = (page: string) => rows.find(([known]) => known === page)![1].split(' ') as AccountKind[]

  test.each(dangerousActs)('%s refuses sessions of narrow keys', async (page) => {
    for (const kind of kindsOf(page)) {
      const scopes = scopesOf(kind).filter((scope) => scope !== 'jobs:read')
      const narrow = await visitor(board, { key: await board.keyWith(await board.account(kind), scopes) })
      expect((await attempt(narrow, page)).status, kind).toBe(403)
    }
  })

  test('are the only pages that require a new sign-in after 15 minutes', async () => {
    const people = new Map<AccountKind, Visitor>()
    for (const kind of accountKinds) people.set(kind, await visitor(board, await board.account(kind)))
    board.clock.advance(15 * 60_000)
    const led = new Set<string>()
    for (const [page, who] of rows.filter(([, who]) => who !== 'everyone')) {
      for (const kind of who.split(' ') as AccountKind[]) {
        // This page's response never ends.
        if (page === 'GET /console/live/stream') continue
        const { headers } = await attempt(people.get(kind)!, page)
        if (headers.get('location')?.startsWith('/sign-in')) led.add(page)
      }
    }
    expect([...led].sort()).toEqual([...dangerousActs, ...freshActs].sort())
  })
})
