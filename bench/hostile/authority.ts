/** Attacks with permissions that are too broad (C1) or outlive their revocation (C2). */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Answer,
  type Attack,
  Browser,
  call,
  countStatuses,
  jobBody,
  newAddress,
  RECEIVER_ADDRESS,
  send,
  waitFor,
} from './attack.ts'

const WITHIN_MS = 2_000
/** How long an attack waits for a revocation to take effect. */
const WAIT_MS = 5_000
/** Delay of the body. The service rechecks the key if the body takes at least a second to arrive. */
const BODY_MS = 1_200
const STREAM = '/console/live/stream'

const inMs = (ms: number | undefined) => (ms === undefined ? 'never' : `after ${ms.toFixed(0)} ms`)
const isWithin = (ms: number | undefined) => ms !== undefined && ms <= WITHIN_MS

interface Key {
  id: string
  key: string
}

export const attacks: Attack[] = [
  {
    name: 'dangerous actions with a narrow key, an expiring key and their sessions',
    finding: 'C1',
    async run(target) {
      const { admin, candidate, employer } = target.keys
      const other = await new Browser(target).signIn(candidate)
      const [first] = await call<{ id: string }[]>(target, 'GET', '/v1/api-keys', candidate)
      const { account_id: account } = await call(target, 'GET', '/v1/me', candidate)
      const make = (key: string, members: object) =>
        call<Key>(target, 'POST', '/v1/api-keys', key, { name: 'Narrow', ...members })
      const expires_at = new Date(Date.now() + 3_600_000).toISOString()
      const scopes = ['profile:read', 'profile:write']
      const answers: Answer[] = []
      const act = async (method: string, path: string, key: string, body?: object) =>
        void answers.push(await send(target, method, path, { key, ...(body && { body }) }))
      const narrow = [await make(candidate, { scopes }), await make(candidate, { expires_at })]
      const sessions = await Promise.all(narrow.map(({ key }) => new Browser(target).signIn(key)))
      const ofEmployer = await make(employer, { scopes })
      const operator = await make(admin, { scopes: ['admin:read', 'admin:write'] })
      for (const { key } of narrow) {
        await act('DELETE', `/v1/api-keys/${first!.id}`, key)
        await act('PUT', '/v1/candidates/profile', key, { email: newAddress() })
        await act('DELETE', '/v1/candidates/profile', key)
      }
      const endings = ['/account/sign-out-everywhere', '/account/access/end', `/console/keys/${first!.id}/revoke`]
      for (const session of sessions) for (const path of endings) answers.push(await session.post(path, {}))
      await act('DELETE', '/v1/employers/profile', ofEmployer.key)
      await act('POST', `/v1/admin/accounts/${account}/suspend`, operator.key, { reason: 'Taken over' })
      await act('DELETE', `/v1/admin/accounts/${account}`, operator.key)
      await act('DELETE', `/v1/admin/accounts/${account}/sessions`, operator.key)
      const left = [
        await send(target, 'GET', '/v1/candidates/profile', { key: candidate }),
        await send(target, 'GET', '/v1/employers/profile', { key: employer }),
        await other.get('/account'),
      ]
      // This form succeeds with an unrestricted key, so the other forms were not refused because of their CSRF tokens.
      const { status: whole } = await other.post('/account/sign-out-everywhere', {})
      const isRefused = answers.every(({ status }) => status === 403)
      return {
        held: isRefused && left.every(({ status }) => status === 200) && whole === 303,
        figures: `${countStatuses(answers)}; owners afterward: ${countStatuses(left)}; with an unrestricted key: ${whole}`,
      }
    },
  },
  {
    name: 'the webhook and the live view of a deleted key',
    finding: 'C2',
    async run(target) {
      const owner = target.keys.employer
      const { id, key } = await call<Key>(target, 'POST', '/v1/api-keys', owner, { name: 'Further' })
      const hook = { url: `https://${RECEIVER_ADDRESS}:8443/in`, events: ['job.created'] }
      const { id: webhook } = await call(target, 'POST', '/v1/webhooks', key, hook)
      const { cookie } = await new Browser(target).signIn(key)
      const signal = AbortSignal.any([target.signal, AbortSignal.timeout(2 * WAIT_MS)])
      const stream = await fetch(target.baseUrl + STREAM, { headers: { cookie }, signal })
      let hasEnded = false
      const reading = stream.text().then(
        () => {
          hasEnded = true
        },
        () => {},
      )
      await call(target, 'DELETE', `/v1/api-keys/${id}`, owner)
      const [streamMs, webhookMs] = await Promise.all([
        waitFor(async () => hasEnded, WAIT_MS),
        waitFor(async () => {
          const { status } = await call(target, 'GET', `/v1/webhooks/${webhook}`, owner)
          return status === 'disabled'
        }, WAIT_MS),
      ])
      if (hasEnded) await reading
      return {
        held: stream.status === 200 && isWithin(streamMs) && isWithin(webhookMs),
        figures: `live view ${stream.status}, ended ${inMs(streamMs)}; webhook disabled ${inMs(webhookMs)}`,
      }
    },
  },
  {
    name: 'a request that began before its key was deleted',
    finding: 'C2',
    async run(target) {
      const owner = target.keys.employer
      const { id, key } = await call<Key>(target, 'POST', '/v1/api-keys', owner, { name: 'Slow' })
      const body = JSON.stringify(jobBody)
      const sent = request(`${target.baseUrl}/v1/jobs`, {
        method: 'POST',
        signal: target.signal,
        headers: {
          authorization: `Bearer ${key}`,
          ...{ 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
          // The service checks the key before it sends `100 Continue`.
          expect: '100-continue',
        },
      })
      sent.flushHeaders()
      await once(sent, 'continue')
      await call(target, 'DELETE', `/v1/api-keys/${id}`, owner)
      await pause(BODY_MS)
      sent.end(body)
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      answer.resume()
      const { length: jobs } = await call<unknown[]>(target, 'GET', '/v1/employers/jobs', owner)
      return { held: answer.statusCode === 401 && jobs === 0, figures: `${answer.statusCode}, ${jobs} jobs` }
    },
  },
  {
    name: 'a session after the email address changed',
    finding: 'C2',
    async run(target) {
      const browser = await new Browser(target).signIn(target.keys.candidate)
      const before = await browser.get('/account')
      await call(target, 'PUT', '/v1/candidates/profile', target.keys.candidate, { email: newAddress() })
      const ms = await waitFor(async () => (await browser.get('/account')).status === 303, WAIT_MS)
      return {
        held: before.status === 200 && isWithin(ms),
        figures: `${before.status} before, ended ${inMs(ms)}`,
      }
    },
  },
]
