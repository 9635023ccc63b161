import { expect, test } from 'vitest'
import { makeAlert } from '../support/alerts.ts'
import { apply } from '../support/applications.ts'
import { expectStatus } from '../support/board.ts'
import { invite, joined } from '../support/members.ts'
import { describeOperation } from '../support/operation.ts'
import { upload } from '../support/resumes.ts'

describeOperation('exportCandidate', ({ board, status }) => {
  const path = '/v1/candidates/export'

  status(200, () => {
    test('returns all stored data, including keys without their secrets, resumes, applications and events', async () => {
      const candidate = await board.candidate({
        first_name: 'Ada',
        last_name: 'King',
        email: 'ada-export@mail.example',
      })
      const { id, key } = candidate
      const registered = board.clock.now().toISOString()
      board.clock.advance(1_000)
      const profile = (await board.put('/v1/candidates/profile', key, { headline: 'Chemist', phone: '112' })).body.data
      const limited = await board.keyWith(candidate, ['jobs:read'])
      const job = await board.activeJob(await board.employer())
      await board.post(`/v1/candidates/jobs/${job.id}/save`, key)
      const resume = await upload(board, candidate)
      const application = await apply(board, candidate, job.id)
      const alert = await makeAlert(board, candidate)
      const changed = board.clock.now().toISOString()
      board.clock.advance(1_000)

      const answer = expectStatus(await board.get(path, key), 200)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.body.data).toEqual({
        exported_at: board.clock.now().toISOString(),
        account: { id, name: 'Ada King', email: 'ada-export@mail.example', language: null, created_at: registered },
        api_keys: [
          expect.objectContaining({ name: 'First key', last4: key.slice(-4) }),
          expect.objectContaining({ name: 'Limited', last4: limited.slice(-4) }),
        ],
        profile: { ...profile, resume_url: resume.url },
        last_active: registered,
        saved_jobs: [{ job_id: job.id, saved_at: changed }],
        applications: [expect.objectContaining({ id: application.id, resume_id: resume.id })],
        application_drafts: [],
        resumes: [expect.objectContaining({ id: resume.id, sha256: resume.sha256 })],
        job_alerts: [{ ...alert, matches: [] }],
        mails: [expect.objectContaining({ kind: 'application-sent', subject_id: application.id })],
        sessions: [],
        webhooks: [],
        job_reports: [],
        memberships: [],
        passkeys: [],
        events: [
          expect.objectContaining({ type: 'candidate.registered' }),
          expect.objectContaining({ type: 'candidate.profile_updated', created_at: changed }),
          expect.objectContaining({ type: 'application.submitted', created_at: changed }),
        ],
      })
      // Even the owner cannot retrieve a key or its hash.
      expect(answer.text).not.toContain(key)
      expect(answer.text).not.toContain('hash')
    })

    test("contains the memberships with the candidate's email address once it is confirmed", async () => {
      const email = 'ada-member@mail.example'
      const body = { first_name: 'Ada', last_name: 'King', email }
      const { id, api_key: key } = expectStatus(await board.post('/v1/candidates', undefined, body), 201).body.data
      await joined(board, await board.employer({ name: 'Halden' }), 'viewer', { email })
      await invite(board, await board.employer({ name: 'Nordkran' }), { email })
      const memberships = async () => expectStatus(await board.get(path, key), 200).body.data.memberships
      expect(await memberships()).toEqual([])
      await board.confirmed({ id, key })
      expect(await memberships()).toEqual([
        expect.objectContaining({ employer: 'Halden', email, name: 'Rosa Whitlock', role: 'viewer', state: 'active' }),
        expect.objectContaining({ employer: 'Nordkran', state: 'invited', joined_at: null }),
      ])
    })

    test('contains no data about other people', async () => {
      const other = await board.candidate({ first_name: 'Somebody', last_name: 'Else', email: 'else@mail.example' })
      const { key } = await board.candidate()
      const { text } = await board.get(path, key)
      expect(text).not.toContain('else@mail.example')
      expect(text).not.toContain(other.id)
    })
  })
})
