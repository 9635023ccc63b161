/** Blocks of email addresses, email domains and networks, and their effects. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_KEY, Board, expectStatus } from '../support/board.ts'
import { mailsIn } from '../support/mails.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'
import { visitor } from '../support/pages.ts'
import { refusesWhileRunning } from '../support/posts.ts'
import { runTask } from '../support/tasks.ts'

describeOperation(
  'createBlock',
  ({ board, status }) => {
    const path = '/v1/admin/blocks'
    const create = (body: Record<string, unknown>) => board.post(path, ADMIN_KEY, { reason: 'Spam', ...body })
    const block = async (kind: string, value: string, more = {}) =>
      expectStatus(await create({ kind, value, ...more }), 201).body.data

    status(201, () => {
      test('returns the block, and records its creator', async () => {
        const data = await block('email_domain', '@Trash.Example.')
        expect(data).toEqual({
          id: expect.stringMatching(/^block_/),
          ...{ kind: 'email_domain', value: 'trash.example', reason: 'Spam', expires_at: null },
          ...{ created_at: board.clock.now().toISOString(), created_by: 'ADMIN_API_KEY' },
        })
        const actions = await board.database.read((db) =>
          db
            .selectFrom('operator_action')
            .select(['action', 'note'])
            .where('subject', '=', 'email_domain trash.example')
            .execute(),
        )
        expect(actions).toEqual([{ action: 'block.create', note: 'Spam' }])
      })

      test.each([
        ['network', '198.51.100.77/24', '198.51.100.0/24'],
        ['network', '198.51.100.7', '198.51.100.7/32'],
        ['network', '2001:DB8:0:1::7/64', '2001:db8:0:1::/64'],
        ['network', '::ffff:198.51.100.9', '198.51.100.9/32'],
        ['address', 'Ada@Case.Example', 'ada@case.example'],
        ['email_domain', 'BÜCHER.example', 'xn--bcher-kva.example'],
      ])('stores the %s %s as %s', async (kind, value, stored) => {
        expect((await block(kind, value)).value).toBe(stored)
      })

      describe('blocking an email address or domain', () => {
        const registers = async (email: string) =>
          (await board.post('/v1/candidates', undefined, { first_name: 'Ada', last_name: 'B', email })).body.code

        test.each([
          ['address', 'Only@This.example', 'only@this.example', 'other@this.example'],
          ['email_domain', 'whole.example', 'anybody@WHOLE.example', 'anybody@notwhole.example'],
          ['email_domain', 'above.example', 'anybody@deep.below.above.example', 'anybody@below.example'],
          ['email_domain', 'bücher-2.example', 'ada@xn--bcher-2-n2a.example', 'ada@bucher-2.example'],
        ])('prevents %s %s from registering', async (kind, value, blocked, open) => {
          await block(kind, value)
          expect(await registers(blocked)).toBe('email_blocked')
          expect(await registers(open)).toBeUndefined()
        })

        test('refuses the email address in profiles and sign-ins, and sends it no emails until the block is deleted', async () => {
          const candidate = await board.candidate({ email: 'reader@inbox.example' })
          const moving = await board.candidate({ email: 'before@inbox.example' })
          const mails = async () => {
            await runTask(board, 'mail')
            return (await mailsIn(board.config.dataDir)).filter(
              (mail) => mail.to?.[0]?.address === 'reader@inbox.example',
            ).length
          }
          const ask = async () => {
            const guest = await visitor(board)
            await guest.submit(await guest.get('/sign-in'), '/sign-in/link', { email: 'reader@inbox.example' })
          }
          await ask()
          expect(await mails()).toBe(1)
          // The service sends at most one sign-in email per minute to an email address.
          board.clock.advance(61_000)
          await ask()
          const { id } = await block('address', 'reader@inbox.example')
          // The only email was queued before the block. This request, after the block, queues none.
          await ask()
          expect(await mails()).toBe(1)
          const guest = await visitor(board)
          const refused = await guest.submit(await guest.get('/sign-in'), '/sign-in/key', { api_key: candidate.key })
          expect([refused.status, refused.seen.includes('can’t be used here')]).toEqual([403, true])
          const moved = await board.put('/v1/candidates/profile', moving.key, { email: 'reader@inbox.example' })
          expect([moved.status, moved.body.code]).toEqual([403, 'email_blocked'])
          // Unlike a suspension, a block does not end existing access.
          expect((await board.get('/v1/me', candidate.key)).status).toBe(200)
          expectStatus(await board.delete(`${path}/${id}`, ADMIN_KEY), 204)
          board.clock.advance(61_000)
          await ask()
          expect(await mails()).toBe(2)
        })

        test('ends when the block expires', async () => {
          await block('address', 'short@time.example', { expires_at: new Date(board.clock.time + 1_000).toISOString() })
          expect(await registers('short@time.example')).toBe('email_blocked')
          board.clock.advance(1_000)
          expect(await registers('short@time.example')).toBeUndefined()
        })
      })

      describe('blocking a network', () => {
        const other = new Board()
        beforeAll(async () => {
          other.database = board.database
          await other.start({ TRUST_PROXY: '1' })
        })
        afterAll(() => other.service.app.close())
        const from = (address: string, more = {}) => ({ 'x-forwarded-for': address, ...more })

        test('refuses requests from the network, except health checks, in every process until the block is deleted', async () => {
          const { key } = await board.candidate()
          const statuses = async (at: Board, address: string) =>
            Promise.all(
              ['/v1/jobs', '/v1/me', '/v1', '/jobs', '/', '/nowhere', '/assets/app.css', '/healthz'].map(
                async (target) => (await at.call('GET', target, { key, headers: from(address) })).status,
              ),
            )
          // Fills the cache, because the block must apply to cached responses, too.
          expect((await statuses(board, '203.0.113.9')).slice(0, 5)).toEqual([200, 200, 200, 200, 200])
          const { id } = await block('network', '203.0.113.0/24')
          const refused = [403, 403, 403, 403, 403, 403, 403, 200]
          expect(await statuses(board, '203.0.113.9')).toEqual(refused)
          expect((await statuses(board, '203.0.114.9')).slice(0, 5)).toEqual([200, 200, 200, 200, 200])
          await runTask(other, 'desk')
          expect(await statuses(other, '203.0.113.9')).toEqual(refused)
          const answer = await board.call('GET', '/v1/jobs', { key, headers: from('203.0.113.9') })
          expect(answer.body.code).toBe('network_blocked')
          expectStatus(await board.delete(`${path}/${id}`, ADMIN_KEY), 204)
          await runTask(other, 'desk')
          for (const at of [board, other]) {
            expect((await statuses(at, '203.0.113.9')).slice(0, 5)).toEqual([200, 200, 200, 200, 200])
          }
        })

        test('returns an error page to browsers', async () => {
          await block('network', '203.0.115.1')
          const response = await fetch(`${board.address}/jobs`, {
            headers: from('203.0.115.1', { accept: 'text/html' }),
          })
          expect([response.status, response.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8'])
          expect(await response.text()).toContain('Requests from this network are blocked')
        })

        test('matches IPv6 addresses by range, and IPv4 addresses even in IPv6 notation', async () => {
          await block('network', '2001:db8:7::/48')
          await block('network', '203.0.116.1')
          const status = async (address: string) => (await board.call('GET', '/v1', { headers: from(address) })).status
          expect(await status('2001:db8:7:ffff::1')).toBe(403)
          expect(await status('2001:db8:8::1')).toBe(200)
          expect(await status('::ffff:203.0.116.1')).toBe(403)
        })

        test('never applies to the admin key from the environment, which can lift the block', async () => {
          const { id } = await block('network', '203.0.117.0/24')
          const headers = from('203.0.117.5')
          expect((await board.call('GET', '/v1/me', { key: ADMIN_KEY, headers })).status).toBe(200)
          const lifted = await board.call('DELETE', `${path}/${id}`, { key: ADMIN_KEY, headers })
          expect(lifted.status).toBe(204)
        })

        test('ends when the block expires', async () => {
          await block('network', '203.0.118.1', { expires_at: new Date(board.clock.time + 1_000).toISOString() })
          const status = async () => (await board.call('GET', '/v1', { headers: from('203.0.118.1') })).status
          expect(await status()).toBe(403)
          board.clock.advance(1_000)
          await runTask(board, 'desk')
          expect(await status()).toBe(200)
        })
      })
    })

    status(409, () => {
      refusesWhileRunning(board, 'createBlock')

      test('refuses a duplicate in any letter case, and accepts the same value once the first block has expired', async () => {
        const expires_at = new Date(board.clock.time + 60_000).toISOString()
        await block('address', 'twice@blocked.example', { expires_at })
        const again = await create({ kind: 'address', value: 'TWICE@blocked.example' })
        expect([again.status, again.body.code]).toEqual([409, 'conflict'])
        board.clock.advance(60_000)
        await block('address', 'twice@blocked.example')
      })

      test("refuses the caller's own network", async () => {
        const headers = { 'x-forwarded-for': '192.0.2.44' }
        const body = { kind: 'network', value: '192.0.2.0/24', reason: 'Slip' }
        const answer = await board.call('POST', path, { key: ADMIN_KEY, body, headers })
        expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
      })
    })

    status(422, () => {
      test.each([
        ['address', 'nobody'],
        ['address', 'a b@c.example'],
        ['address', '@example.com'],
        ['email_domain', 'localhost'],
        ['email_domain', 'two words.example'],
        ['email_domain', '10.0.0.1'],
        ['network', '10.0.0.256'],
        ['network', '010.0.0.1'],
        ['network', '10.0.0.0/33'],
        ['network', '0.0.0.0/0'],
        ['network', '::/0'],
        ['network', 'example.com'],
      ])('refuses the %s %s', async (kind, value) => {
        const answer = await create({ kind, value })
        expect([answer.status, faultsOf(answer)]).toEqual([422, ['#/value invalid_format']])
      })

      test('reports all errors at once', async () => {
        const answer = await board.post(path, ADMIN_KEY, { kind: 'network', value: 'x', expires_at: '2020-01-01' })
        expect(faultsOf(answer).sort()).toEqual([
          '#/expires_at invalid_range',
          '#/reason required',
          '#/value invalid_format',
        ])
      })
    })
  },
  { TRUST_PROXY: '1' },
)
