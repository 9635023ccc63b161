import { expect, test } from 'vitest'
import { world } from '../support/applications.ts'
import { ADMIN_KEY, expectStatus, useBoard } from '../support/board.ts'
import { invitationsTo, join, joined, joinedStaff, STAFF } from '../support/members.ts'
import { Visitor, visitor as visit } from '../support/pages.ts'
import { signInLinks } from '../support/sign-in.ts'

const board = useBoard()

test('an owner invites, changes and removes members, and the last owner stays', async () => {
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

test('a viewer sees the team and applicants, writes notes, and is told what the role does not allow', async () => {
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
  const keys = await visitor.get('/console/keys')
  expect([keys.status, keys.seen]).toEqual([403, expect.stringContaining('Your role in the team does not allow this.')])
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
    expect([path, page.status]).toEqual([path, 200])
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
