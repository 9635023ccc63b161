import { expect, test } from 'vitest'
import { world } from '../support/applications.ts'
import { ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import { invitationsTo, invite, join, joined, joinedStaff, MEMBERS, STAFF } from '../support/members.ts'
import { Visitor, visitor as visit } from '../support/pages.ts'
import { signInLinks } from '../support/sign-in.ts'

const board = useBoard()

test('an owner invites, changes and removes members, but cannot demote the last owner', async () => {
  const employer = await board.employer({ name: 'Halden Drive Systems', email: 'rosa@halden.example' })
  const owner = new Visitor(board)
  await owner.submit(await owner.get('/sign-in'), '/sign-in/link', { email: 'rosa@halden.example' })
  const [link] = await signInLinks(board, 'rosa@halden.example')
  await owner.submit(await owner.get(link!), '/sign-in/link/use')
  const team = await owner.get('/employer/team')
  expect(team.seen).toContain('1 person works with the jobs and applicants of Halden Drive Systems.')
  expect(team.seen).toContain('rosa@halden.example (you)')
  const faulty = await owner.submit(team, '/employer/team', { email: 'nobody', role: 'viewer' })
  expect([faulty.status, faulty.document.querySelector('[name=email]')!.getAttribute('value')]).toEqual([422, 'nobody'])
  const invited = await owner.submit(faulty, '/employer/team', { email: 'idris@halden.example', name: 'Idris Bell' })
  expect(invited.seen).toContain('Invitation sent to idris@halden.example')
  expect(invited.seen).toContain('The link works for 7 more days.')
  const [member] = (await board.get('/v1/employers/members?role=viewer', employer.key)).body.data
  const again = await owner.submit(invited, `/employer/team/${member.id}/invite`)
  expect(again.seen).toContain('Invitation sent to idris@halden.example')
  expect((await invitationsTo(board, 'idris@halden.example')).length).toBeGreaterThan(0)
  const idris = new Visitor(board)
  await join(board, idris, 'idris@halden.example', 'Idris Bell')
  const changed = await owner.submit(await owner.get('/employer/team'), `/employer/team/${member.id}/role`, {
    role: 'recruiter',
  })
  expect(changed.seen).toContain('Role changed')
  const [first] = (await board.get('/v1/employers/members?role=owner', employer.key)).body.data
  const kept = await owner.submit(changed, `/employer/team/${first.id}/role`, { role: 'viewer' })
  expect([kept.status, kept.seen]).toEqual([409, expect.stringContaining('Make someone else an owner first.')])
  const removed = await owner.submit(kept, `/employer/team/${member.id}/remove`)
  expect([removed.seen.includes('Member removed'), removed.seen.includes('idris@')]).toEqual([true, false])
  expect((await idris.get('/employer')).path).toMatch(/^\/sign-in/)
})

test('a person with several accounts chooses one of them after using one link', async () => {
  const email = 'rosa@several.example'
  await board.candidate({ email, last_name: 'Whitlock' })
  await board.employer({ name: 'Halden', email })
  const nordkran = await board.employer({ name: 'Nordkran' })
  await joined(board, nordkran, 'viewer', { email })
  await invite(board, await board.employer({ name: 'Only invited' }), { email })
  const rosa = new Visitor(board)
  await rosa.submit(await rosa.get('/sign-in?return_to=/account'), '/sign-in/link', { email })
  const [link, ...others] = await signInLinks(board, email)
  expect(others).toEqual([])
  const choice = await rosa.get(link!)
  const names = choice.document.querySelectorAll('main button').map(({ textContent }) => textContent)
  expect(names).toEqual(['Continue as Ada Whitlock', 'Continue as Halden', 'Continue as Nordkran'])
  expect(choice.seen).toContain('NordkranEmployer Viewer')
  // Choosing somebody else's account gets the same response as an invalid link.
  const { id: foreign } = await board.employer()
  expect((await rosa.submit(choice, '/sign-in/link/use', { account_id: foreign })).status).toBe(410)
  board.clock.advance(60_000)
  await rosa.submit(await rosa.get('/sign-in?return_to=/account'), '/sign-in/link', { email })
  const next = (await signInLinks(board, email)).at(-1)!
  // A form without a chosen account leads to the page for choosing one.
  const undecided = await rosa.get(next)
  const token = undecided.document.querySelector('[name="token"]')!.getAttribute('value')!
  const again = await rosa.submit(undecided, '/sign-in/link/use', { account_id: [], token })
  expect(again.path).toMatch(/^\/sign-in\/link\?token=[\w-]{43}&return_to=%2Faccount$/)
  const inside = await rosa.submit(again, '/sign-in/link/use', { account_id: nordkran.id })
  expect([inside.path, inside.seen.includes('Nordkran')]).toEqual(['/account', true])
  expect((await rosa.get('/console/keys')).status).toBe(403)
})

test('a person switches accounts without signing in again, until access or the session ends', async () => {
  const email = 'rosa@switching.example'
  const { id: candidate } = await board.candidate({ email, last_name: 'Whitlock' })
  const [halden, nordkran] = [await board.employer({ name: 'Halden' }), await board.employer({ name: 'Nordkran' })]
  await joined(board, halden, 'viewer', { email })
  board.clock.advance(1_000)
  const { member, visitor: rosa } = await joined(board, nordkran, 'owner', { email })
  const sessions = async ({ id }: { id: string }) =>
    (await board.get(`/v1/admin/accounts/${id}/sessions`, ADMIN_KEY)).body.data
  const before = rosa.cookies.get('__Host-session')!
  const links = () => rosa.get('/account').then(({ document }) => document.querySelectorAll('[href="/account/choose"]'))
  expect(await links()).toHaveLength(2)
  const pick = async (account_id: string, guest = rosa) => {
    const page = await guest.get('/account/choose?return_to=/account')
    const token = page.document.querySelector('[name="_csrf"]')!.getAttribute('value')!
    return guest.post('/account/choose', { _csrf: token, account_id, return_to: '/account' })
  }
  expect((await rosa.get('/account/choose')).seen).toContain('NordkranEmployer OwnerYou’re using this account.')
  const [{ id: first, expires_at }] = await sessions(nordkran)
  board.clock.advance(60_000)
  expect((await pick(halden.id)).seen).toContain('Halden')
  expect(await sessions(nordkran)).toEqual([])
  // The new session has the permissions of the other role, but the same expiry.
  const [inHalden] = (await sessions(halden)).filter((each: { expires_at: string }) => each.expires_at === expires_at)
  expect(inHalden.id).not.toBe(first)
  expect((await rosa.get('/console/keys')).status).toBe(403)
  const old = new Visitor(board)
  old.setCookie('__Host-session', before)
  expect((await old.get('/account')).path).toMatch(/^\/sign-in/)
  // The first use of the candidate's unconfirmed email address shows who else has access.
  expect((await pick(candidate)).path).toBe('/account/access?return_to=%2Faccount')
  const foreign = await board.employer({ name: 'Foreign' })
  await invite(board, foreign, { email })
  expect((await pick(foreign.id)).status).toBe(404)
  await board.delete(`${MEMBERS}/${member.id}`, nordkran.key)
  expect((await pick(nordkran.id)).status).toBe(404)
  await board.post(`/v1/admin/accounts/${halden.id}/suspend`, ADMIN_KEY, { reason: 'Unpaid' })
  expect((await rosa.get('/account')).status).toBe(200)
  expect(await links()).toHaveLength(0)
  expect((await rosa.get('/account/choose?return_to=/me')).path).toBe('/me')
  await board.post(`/v1/admin/accounts/${halden.id}/resume`, ADMIN_KEY, {})
  expect(await links()).toHaveLength(2)
  // A session that began with an API key does not prove an email address.
  const byKey = await new Visitor(board).signIn(halden)
  expect((await byKey.get('/account/choose')).path).toBe('/account')
  const second = new Visitor(board)
  await second.submit(await second.get('/sign-in'), '/sign-in/link', { email })
  const link = await second.get((await signInLinks(board, email)).at(-1)!)
  await second.submit(link, '/sign-in/link/use', { account_id: halden.id })
  await rosa.submit(await rosa.get('/account'), '/account/sign-out-everywhere')
  expect((await second.get('/account')).path).toMatch(/^\/sign-in/)
  expect((await byKey.get('/account')).path).toBe('/account')
})

test('a viewer sees the team and applicants, writes notes, and learns what the role does not allow', async () => {
  const { application, employer } = await world(board)
  const { visitor } = await joined(board, employer, 'viewer')
  const team = await visitor.get('/employer/team')
  expect([team.status, team.document.querySelectorAll('main form').length]).toEqual([200, 0])
  const path = `/employer/applications/${application.id}`
  const applicant = await visitor.get(path)
  const forms = applicant.document.querySelectorAll('main form').map((form) => form.getAttribute('action'))
  expect(forms).toEqual([`${path}/notes`])
  const noted = await visitor.submit(applicant, `${path}/notes`, { text: 'Asks for Thursday.' })
  expect(noted.seen).toContain('Rosa Whitlock')
  const profile = await visitor.get('/employer/profile')
  expect(profile.seen).toContain('Your role in the team doesn’t let you change this. Ask an owner.')
  const keys = await visitor.get('/console/keys')
  expect([keys.status, keys.seen]).toEqual([403, expect.stringContaining('Your role in the team doesn’t allow this.')])
  const token = noted.document.querySelector('input[name="_csrf"]')!.getAttribute('value')!
  const refused = await visitor.post('/employer/team', { _csrf: token, email: 'a@halden.example', role: 'owner' })
  expect([refused.status, refused.seen]).toEqual([403, expect.stringContaining('Ask an owner.')])
})

test('an admin invites, changes and removes staff, even the last admin', async () => {
  const operator = await visit(board, { key: ADMIN_KEY })
  const empty = await operator.get('/desk/staff')
  expect(empty.seen).toContain('Nobody has joined yet.')
  const invited = await operator.submit(empty, '/desk/staff', { email: 'wanda@board.example', role: 'admin' })
  expect(invited.seen).toContain('Invitation sent to wanda@board.example')
  const wanda = new Visitor(board)
  expect((await join(board, wanda, 'wanda@board.example', 'Wanda Petrov')).path).toBe('/desk')
  const staff = await wanda.get('/desk/staff')
  expect(staff.seen).toContain('1 person runs this board.')
  expect(staff.seen).toContain('Wanda Petrov (you)')
  const [{ id }] = (await board.get(STAFF, ADMIN_KEY)).body.data
  const changed = await operator.submit(await operator.get('/desk/staff'), `/desk/staff/${id}/role`, {
    role: 'moderator',
  })
  expect(changed.seen).toContain('Role changed')
  expect((await wanda.get('/desk/staff')).status).toBe(403)
  const removed = await operator.submit(changed, `/desk/staff/${id}/remove`)
  expect(removed.seen).toContain('Member removed')
  expect((await wanda.get('/desk')).path).toMatch(/^\/sign-in/)
})

test('a moderator reaches only permitted pages by links and forms, decides reports, and reads accounts', async () => {
  const { job, candidate, employer } = await world(board)
  const report = await board.post(`/v1/jobs/${job.id}/reports`, candidate.key, { reason: 'spam' })
  const { id } = expectStatus(report, 201).body.data
  const { visitor, member } = await joinedStaff(board, 'moderator')
  const seen = new Set(['/desk', `/desk/accounts/${employer.id}`, '/desk/search?search=engineer'])
  const actions = new Set<string>()
  for (const path of seen) {
    const page = await visitor.get(path)
    expect([path, page.status, page.seen]).toEqual([path, 200, expect.not.stringContaining('Ask an owner')])
    for (const link of page.document.querySelectorAll('header a[href], nav a[href], main a[href]')) {
      const href = link.getAttribute('href')!.split('#')[0]!
      if (/^\/(?:desk|console|account|home)\b/.test(href)) seen.add(href)
    }
    for (const form of page.document.querySelectorAll('form[method=post]'))
      actions.add(form.getAttribute('action')!.replace(/\w+_\w{26}/, ':id'))
  }
  expect(seen).toContain(`/desk/reports/${id}`)
  expect([...seen].filter((path) => /payments|settings|staff|activity|board|emails|tasks|blocks/.test(path))).toEqual(
    [],
  )
  expect([...actions].sort()).toEqual([
    '/account/language',
    '/account/passkeys',
    '/account/sign-out-everywhere',
    '/desk/jobs/:id/remove',
    '/desk/reports/:id/dismiss',
    '/desk/reports/:id/uphold',
    '/sign-out',
  ])
  const decided = await visitor.submit(await visitor.get(`/desk/reports/${id}`), `/desk/reports/${id}/dismiss`)
  expect([decided.status, decided.seen]).toEqual([200, expect.stringContaining('Dismissed')])
  for (const path of ['/desk/payments', '/desk/settings', '/console/keys', '/desk/activity']) {
    expect([path, (await visitor.get(path)).seen]).toEqual([path, expect.stringContaining('Ask an admin.')])
  }
  const token = decided.document.querySelector('input[name="_csrf"]')!.getAttribute('value')!
  const suspended = await visitor.post(`/desk/accounts/${employer.id}/suspend`, { _csrf: token, reason: 'Spam' })
  expect(suspended.status).toBe(403)
  expectStatus(await board.delete(`${STAFF}/${member.id}`, ADMIN_KEY), 204)
})
