/** Creates a board on which every page has content, and lists the paths of all pages. */

import { seedDemo } from '../../src/commands/seed-demo.ts'
import { type AccountKind, accountKinds } from '../../src/lib/api-keys.ts'
import { makeAlert } from './alerts.ts'
import { apply, setStatus } from './applications.ts'
import { type Account, ADMIN_KEY, type Board, expectStatus } from './board.ts'
import { claim } from './claims.ts'
import { pdf } from './documents.ts'
import { suspectedPair } from './duplicates.ts'
import { heldRun } from './feeds.ts'
import { failedEmail } from './mails.ts'
import { inviteStaff, joined } from './members.ts'
import { type Visitor, visitor } from './pages.ts'
import { storedPasskey } from './passkeys.ts'
import { upload } from './resumes.ts'
import { runTask } from './tasks.ts'
import { deliveriesOf, dispatch, makeWebhook, WEBHOOKS } from './webhooks.ts'

/** The body of a job with every section and a question of every type. */
export const fullJob = {
  description: 'Design **battery packs** for electric vans.\n\nTest them.',
  requirements: ['Five years of it'],
  benefits: ['A bicycle'],
  skills: ['C++', 'CAN bus'],
  salary: { min: 50_000, max: 64_000, currency: 'EUR', period: 'year' },
  remote: true,
  custom_questions: [
    { id: 'why', label: 'Why this job?', type: 'textarea', required: true },
    { id: 'license', label: 'Do you have a driving license?', type: 'boolean', required: true },
    { id: 'years', label: 'How many years have you done this?', type: 'number', required: false },
    { id: 'start', label: 'When could you start?', type: 'date', required: false },
    { id: 'work', label: 'Where can we see your work?', type: 'url', required: false },
    { id: 'shift', label: 'Shift?', type: 'single_select', required: false, options: ['Before noon', 'After noon'] },
    { id: 'tools', label: 'Which have you used?', type: 'multi_select', required: false, options: ['CAN', 'LIN'] },
  ],
}
const answers = { custom_questions: { why: 'Because of the vans.', license: true, tools: ['CAN', 'LIN'] } }

/** A webhook with a long URL. */
const longWebhook = {
  url: `https://hook.example/${'a-rather-long-address/'.repeat(4)}`,
  description: 'The applicant tracking system',
  events: ['job.created', 'job.updated', 'application.submitted'],
}

export interface PageWorld {
  accounts: Readonly<Record<AccountKind, Account>>
  /** The pages of each kind of reader. */
  paths: Readonly<Record<Reader, readonly string[]>>
  arrive(reader: Reader): Promise<Visitor>
}

/**
 * Kinds of readers. `visitor` is not signed in, and account kinds are signed in with an API key. `person` is signed in
 * by email as a recruiter who also has a candidate account.
 */
export const readers = ['visitor', ...accountKinds, 'person'] as const
type Reader = (typeof readers)[number]

/**
 * Fills the board, and returns its accounts and the paths of its pages. With `isDemo`, also creates the demo data, and
 * uses the demo employer and candidate.
 */
export async function pageWorld(board: Board, isDemo = false): Promise<PageWorld> {
  const accounts = {} as Record<AccountKind, Account>
  const settings = { origin: board.config.publicOrigin!, defaultCurrency: 'USD' }
  const demo = isDemo ? await seedDemo(board.database, settings, board.clock) : undefined
  const withKey = async (key: string) => ({ id: (await board.get('/v1/me', key)).body.data.account_id, key })
  for (const kind of accountKinds) {
    const key = kind === 'employer' ? demo?.employer.key : kind === 'candidate' ? demo?.candidate.key : undefined
    accounts[kind] = key === undefined ? await board.account(kind) : await withKey(key)
  }
  const { employer, candidate } = accounts
  const email = 'several@accounts.example'
  await board.candidate({ email })
  const { visitor: person } = await joined(board, employer, 'recruiter', { email })
  for (const account of Object.values(accounts)) await storedPasskey(board, account)
  const hook = await makeWebhook(board, employer, longWebhook)
  const { id: job } = await board.activeJob(employer, fullJob)
  const { id: draft } = await board.job(employer)
  const { id: open } = await board.activeJob(employer, fullJob)
  const experience = [{ title: 'Tester', company: 'Berg Motion', start_date: '2020-01' }]
  const profile = { headline: 'Battery engineer', skills: ['C++', 'CAN'], experience }
  expectStatus(await board.put('/v1/candidates/profile', candidate.key, profile), 200)
  await upload(board, candidate, pdf('Engineer'), 'cv.pdf')
  expectStatus(await board.get(`/v1/jobs/${job}`, candidate.key), 200)
  await runTask(board, 'job-views')
  const { id: application } = await apply(board, candidate, job, answers)
  await apply(board, await board.candidate({ last_name: 'Vale' }), job, answers)
  await setStatus(board, employer, application, 'contacted')
  const { id: alert } = await makeAlert(board, candidate, { criteria: { search: 'bench', remote: true } })
  expectStatus(await board.post(`/v1/candidates/jobs/${open}/save`, candidate.key, {}), 201)
  const { reply } = board.receiver
  board.receiver.reply = () => ({ status: 500, excerpt: `<html>${'x'.repeat(600)}</html>` })
  await dispatch(board)
  board.receiver.reply = reply
  const [delivery] = await deliveriesOf(board, employer, hook.id)
  const [payment] = (await board.get('/v1/employers/payments', employer.key)).body.data
  const [event] = (await board.get('/v1/events', employer.key)).body.data
  const since = new Date(board.clock.time - 1_000).toISOString()
  const recovery = expectStatus(await board.post(`${WEBHOOKS}/${hook.id}/recover`, employer.key, { since }), 202).body
    .data
  const report = { reason: 'spam' }
  const { id: reportId } = expectStatus(await board.post(`/v1/jobs/${job}/reports`, candidate.key, report), 201).body
    .data
  const company = {
    name: 'Northern Vehicle and Trailer Works of Upper Lakeland',
    website: 'https://gearwright.example',
    description: 'We build **quiet** vans.',
  }
  expectStatus(await board.put('/v1/employers/profile', employer.key, company), 200)
  await claim(board, employer)
  const failed = await failedEmail(board)
  const pages = { imprint: 'Imprint', privacy: 'Privacy notice' }
  for (const [slug, title] of Object.entries(pages)) {
    const page = { title, text: '## Who we are\n\nGearwright Ltd, [Leeds](https://leeds.example)' }
    expectStatus(await board.put(`/v1/admin/board/pages/${slug}`, ADMIN_KEY, page), 200)
  }
  for (const { key } of [employer, accounts.integrator, accounts.admin]) {
    const body = { name: 'nordkran.example', kind: 'publishable' }
    expectStatus(await board.post('/v1/api-keys', key, body), 201)
  }
  const run = (await heldRun(board)).replace('/v1', '/console')
  const feed = run.slice(0, run.indexOf('/runs/'))
  const { path: copies } = await suspectedPair(board)
  const publishing = ['/console/widget', '/console/keys/new?kind=publishable']
  for (const role of ['admin', 'moderator'] as const) await inviteStaff(board, { role })
  const under = (path: string, ...pages: string[]) => pages.map((page) => `${path}${page}`)
  const published = [
    ...[
      '/docs',
      '/docs/guide',
      '/docs/webhooks',
      '/docs/agents',
      '/docs/errors',
      '/docs/errors/not_found',
      '/docs/search?search=webhook',
    ],
    ...[
      '/',
      '/jobs',
      '/jobs?search=engineer&remote=true',
      `/jobs/${open}`,
      `/jobs/${open}/report`,
      '/companies',
      '/nowhere',
    ],
    ...[`/companies/${employer.id}`, '/sign-in', '/sign-in/sent', '/sign-in/link', '/invitation', '/register'],
    ...['/register/candidate', '/register/employer', '/pages/imprint'],
  ]
  const everyone = [
    ...[
      '/home',
      '/account',
      '/account/access',
      '/account/passkeys',
      '/jobs',
      `/jobs/${open}`,
      `/jobs/${job}`,
      '/nowhere',
    ],
    ...under('/console', '', '/keys', '/keys/new', '/events', '/live', '/webhooks', '/webhooks/new'),
  ]
  return {
    accounts,
    arrive: async (reader) =>
      reader === 'person' ? person : visitor(board, reader === 'visitor' ? undefined : accounts[reader]),
    paths: {
      visitor: published,
      person: ['/account', '/account/choose'],
      admin: [
        ...everyone,
        ...publishing,
        ...['/console/feeds', '/console/feeds/new', feed, `${feed}/edit`, `${feed}/delete`, run],
        ...under('/desk', '', '/reports', `/reports/${reportId}`, '/payments', `/payments/${payment.id}`, '/accounts'),
        ...under('/desk', `/accounts/${employer.id}`, '/queues', '/catalogue', '/settings'),
        ...under('/desk', '/search?search=engineer', '/activity', '/jobs', `/jobs/${job}`, '/companies'),
        ...under('/desk', '/products', '/products/featured', '/currency-rates'),
        ...['/desk/duplicates', '/desk/duplicates/decisions', copies],
        ...under('/desk', '/storage', '/blocks', '/tasks', '/staff'),
        ...under('/desk/emails', '', `/${failed}`, '/previews'),
        ...under('/desk/catalogue', '/category', '/category/motorsport'),
        ...under('/desk/board', '', '/new-page', '/pages/imprint', '/pages/terms'),
      ],
      integrator: [...everyone, ...publishing],
      employer: [
        ...everyone,
        ...publishing,
        ...under(`/console/webhooks/${hook.id}`, '', '/edit', '/secret', '/test', '/recover'),
        ...under(`/console/webhooks/${hook.id}`, `/deliveries/${delivery.id}`, `/recoveries/${recovery.id}`),
        ...[job, draft].flatMap((id) =>
          under(`/employer/jobs/${id}`, '', '/edit', '/preview', '/pay', '/statistics', '/delete'),
        ),
        ...[
          `/console/events/${event.id}`,
          '/employer',
          '/console/feeds',
          '/console/feeds/new',
          '/employer/jobs',
          '/employer/jobs/new',
          '/employer/applications',
        ],
        ...[
          '/employer/applications/emails/rejected',
          '/employer/applications?status=pending&applied_at_gte=2020-01-01',
          `/employer/applications/${application}`,
          '/employer/candidates',
          `/employer/candidates/${candidate.id}`,
          '/employer/profile',
          '/employer/team',
          '/employer/profile/close',
          '/employer/verification',
          `/employer/verification/${employer.id}`,
        ],
        ...['/employer/payments', `/employer/payments/${payment.id}`],
      ],
      candidate: [
        ...everyone,
        ...under('/me', '', '/profile', '/resumes', '/data', '/data/erase', '/saved-jobs', '/applications', '/alerts'),
        ...under('/me', '/alerts/new?search=van&skills_in=CAN,LIN', `/alerts/${alert}`, `/applications/${application}`),
        // A search that no other reader opens, so that the list is also checked with the buttons of a candidate.
        '/jobs?search=battery',
        `/jobs/${open}/apply`,
      ],
    },
  }
}
