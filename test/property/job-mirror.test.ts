/** After arbitrary changes and late commits, polling mirrors match the board. */
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { type Account, ADMIN_KEY, Board, expectStatus, useBoard } from '../support/board.ts'
import { insertJobs, removeJobs } from '../support/jobs.ts'

const board = useBoard()
/** Another process on the same database. */
const other = new Board()
let employer: Account
let aheadMs = 0
const setClock = () => {
  // Follows the database clock, plus the days that the test skipped.
  board.clock.time = Date.now() + aheadMs
}
beforeAll(async () => {
  setClock()
  Object.assign(other, { database: board.database, clock: board.clock })
  await other.start()
  employer = await board.employer({ name: 'Mirror Motors' })
})
afterAll(() => other.service?.app.close())

type JobForm = { id: string; deleted_at?: string }

class Mirror {
  readonly jobs = new Map<string, JobForm>()
  readonly #filter: string
  #since = ''
  #until = ''
  #cursor: string | null = null

  constructor(filter: string) {
    this.#filter = filter
  }

  /** Reads one page and returns true at the end of a walk. */
  async step(from: Board): Promise<boolean> {
    // The first walk loads the existing jobs.
    const since = this.#since === '' ? 'updated_since=1970-01-01' : `updated_since=${this.#since}&include_deleted=true`
    const query = `${since}&limit=3&cursor=${this.#cursor ?? ''}${this.#filter}`
    const { data, meta } = expectStatus(await from.get(`/v1/jobs?${query}`, ADMIN_KEY), 200).body
    if (this.#cursor === null) this.#until = meta.updated_until
    for (const entry of data as JobForm[]) {
      if (entry.deleted_at === undefined) this.jobs.set(entry.id, entry)
      else this.jobs.delete(entry.id)
    }
    this.#cursor = meta.pagination.next_cursor
    if (this.#cursor !== null) return false
    this.#since = this.#until
    return true
  }

  async finish(from: Board): Promise<void> {
    while (!(await this.step(from)));
  }

  async expectBoard(): Promise<void> {
    // Other processes' commits become visible after a quarter of a second, or with this process's next commit.
    await board.database.inTx(async () => {})
    const { data } = expectStatus(await board.get(`/v1/jobs?limit=100${this.#filter}`, ADMIN_KEY), 200).body
    const byId = (a: JobForm, b: JobForm) => (a.id < b.id ? -1 : 1)
    expect([...this.jobs.values()].sort(byId)).toEqual((data as JobForm[]).sort(byId))
  }
}

const JOBS = 6
const nth = fc.nat(JOBS - 1)
const categories = ['alpha', 'beta'] as const
const category = fc.constantFrom(...categories)
const action = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('step' as const), mirror: fc.nat(1), process: fc.nat(1) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('edit' as const),
      nth,
      category,
      title: fc.string({ minLength: 1, unit: 'grapheme-ascii' }),
    }),
  },
  fc.record({ do: fc.constantFrom('close' as const, 'reopen' as const, 'delete' as const, 'renew' as const), nth }),
  fc.record({ do: fc.constant('late' as const), nth, category, isClosed: fc.boolean() }),
  fc.record({ do: fc.constantFrom('commit' as const, 'roll back' as const, 'pass a day' as const, 'sweep' as const) }),
  fc.record({ do: fc.constantFrom('name' as const, 'logo' as const), value: fc.nat(3) }),
)

test('a mirror that polls ends up with the same jobs as the board', async () => {
  const { url } = board.database
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
      await removeJobs(board)
      setClock()
      const ids: string[] = []
      for (let n = 0; n < JOBS; n++) {
        const isPosted = n < JOBS - 1
        const expires_at = isPosted ? new Date(board.clock.time + (n + 1) * DAY_MS).toISOString() : null
        const { id } = await board.job(employer, { category: categories[n % 2], title: `Job ${n}`, expires_at })
        ids.push(id)
        // The payment also activates the job.
        if (isPosted) await board.pay(employer, id)
      }
      await insertJobs(board, [{ title: 'Imported', category: 'alpha' }])
      const mirrors = [new Mirror(''), new Mirror('&category=alpha')]
      /** Open transactions by the job that they lock. */
      const open = new Map<string, pg.Client>()
      const end = async (how: 'commit' | 'rollback', id: string) => {
        await open.get(id)!.query(how)
        await open.get(id)!.end()
        open.delete(id)
      }
      try {
        for (const one of actions) {
          setClock()
          const id = 'nth' in one ? ids[one.nth]! : ''
          // Skips a step that would wait for an open transaction.
          if (open.has(id) || (open.size > 0 && (one.do === 'name' || one.do === 'logo' || one.do === 'sweep')))
            continue
          switch (one.do) {
            case 'step':
              await mirrors[one.mirror]!.step(one.process === 0 ? board : other)
              break
            case 'edit':
              await board.put(`/v1/jobs/${id}`, employer.key, { title: one.title, category: one.category })
              break
            case 'close':
            case 'reopen':
              await board.post(`/v1/jobs/${id}/${one.do}`, employer.key)
              break
            case 'delete':
              await board.delete(`/v1/jobs/${id}`, employer.key)
              break
            case 'renew':
              await board
                .post('/v1/employers/payments', employer.key, { job_id: id, products: ['job-post'] })
                .then(
                  async ({ status, body }) =>
                    status === 201 &&
                    (await board.post(`/v1/employers/payments/${body.data.id}/confirm`, employer.key)),
                )
              await board.post(`/v1/jobs/${id}/activate`, employer.key)
              break
            case 'late': {
              if (!url) break
              const client = new pg.Client({ connectionString: url })
              await client.connect()
              open.set(id, client)
              await client.query('begin')
              const change = one.isClosed ? `state = 'closed'` : `category = '${one.category}', title = 'Late'`
              await client.query(`update job set ${change}, updated_at = $2 where id = $1 and state = 'active'`, [
                id,
                board.clock.now(),
              ])
              break
            }
            case 'commit':
            case 'roll back':
              for (const held of open.keys()) await end(one.do === 'commit' ? 'commit' : 'rollback', held)
              break
            case 'pass a day':
              aheadMs += DAY_MS
              break
            case 'sweep':
              await board.service.tasks.find(({ name }) => name === 'job-expiry')!.once()
              break
            case 'name':
              await board.put('/v1/employers/profile', employer.key, { name: `Mirror ${one.value}` })
              break
            case 'logo':
              await board.put('/v1/employers/profile', employer.key, { logo_url: `https://logo.example/${one.value}` })
          }
        }
        for (const id of open.keys()) await end('commit', id)
      } finally {
        for (const client of open.values()) await client.end()
      }
      setClock()
      for (const mirror of mirrors) {
        // The next walk returns changes that the current walk may have missed.
        await mirror.finish(other)
        await mirror.finish(board)
        await mirror.expectBoard()
      }
    }),
    { numRuns: 30 },
  )
})
