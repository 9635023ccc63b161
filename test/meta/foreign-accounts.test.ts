/** Who may ask what, for every operation of the document: other kinds are refused, others of the kind see nothing. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { AccountKind } from '../../src/lib/api-keys.ts'
import { makeAlert } from '../support/alerts.ts'
import { apply } from '../support/applications.ts'
import { type Account, useBoard } from '../support/board.ts'
import { upload } from '../support/resumes.ts'

const everyone: readonly AccountKind[] = ['candidate', 'employer', 'integrator', 'admin']

/** The first that fits; what fits none is everyone's. */
const callers: [operation: RegExp, kinds: readonly AccountKind[]][] = [
  [/^POST \/(candidates|employers)$/, everyone],
  [/^GET \/candidates(\/\{id\})?$/, ['employer', 'admin']],
  [/^GET \/candidates\/resume\/\{id\}$/, ['candidate', 'employer', 'admin']],
  [/ \/candidates\//, ['candidate']],
  [/ \/employers\/profile$/, ['employer']],
  [/^POST \/employers\/payments$/, ['employer']],
  [/ \/employers\/(applications|jobs|payments|products)/, ['employer', 'admin']],
  [/^POST \/jobs$/, ['employer']],
  [/^(POST|PUT|DELETE) \/jobs\//, ['employer', 'admin']],
  [/ \/admin\//, ['admin']],
]
const callersOf = (operation: string) => callers.find(([pattern]) => pattern.test(operation))?.[1] ?? everyone

const board = useBoard()
/** `METHOD /path` of each operation; not what is for everybody without a key. */
const operations = () =>
  Object.entries(board.contract.document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { responses }]) => '401' in responses)
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  )

/** Sends nothing but the key: whose it is, is judged before all else. */
async function ask(operation: string, key: string, id = 'x') {
  const [method, path] = operation.split(' ') as [string, string]
  return board.call(method, `/v1${path.replace(/\{\w+\}/g, id)}`, { key })
}

test.each(everyone)('%s accounts are refused by what is for other kinds, and by nothing else', async (kind) => {
  const { key } = await board.account(kind)
  const refused: string[] = []
  for (const operation of operations()) {
    // It would end the account.
    if (operation === 'DELETE /candidates/profile' && kind === 'candidate') continue
    const { status, body } = await ask(operation, key)
    if (status === 403 && /_account_required$/.test(body.code)) refused.push(operation)
  }
  expect(refused).toEqual(operations().filter((operation) => !callersOf(operation).includes(kind)))
})

describe('private things', () => {
  const strangers = {} as Record<'candidate' | 'employer', Account>
  const owners = {} as Record<'candidate' | 'employer', Account>
  /** Ids by the path before them. */
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    for (const kind of ['candidate', 'employer'] as const) {
      strangers[kind] = await board.account(kind)
      owners[kind] = await board.account(kind)
    }
    const job = await board.activeJob(owners.employer)
    const resume = await upload(board, owners.candidate)
    const application = await apply(board, owners.candidate, job.id)
    const alert = await makeAlert(board, owners.candidate)
    await board.post(`/v1/candidates/jobs/${job.id}/save`, owners.candidate.key)
    const { data } = (await board.get('/v1/employers/payments', owners.employer.key)).body
    Object.assign(ids, {
      '/candidates/': owners.candidate.id,
      '/candidates/applications/': application.id,
      '/candidates/resume/': resume.id,
      '/candidates/job-alerts/': alert.id,
      '/employers/applications/': application.id,
      '/employers/payments/': data[0].id,
    })
  })

  const isPublic = (operation: string) =>
    / \/employers\/\{id\}$| \/candidates\/jobs\/| \/jobs\/| \/admin\//.test(operation)
  const foreign = () =>
    operations()
      .filter((operation) => / \/(candidates|employers)\b/.test(operation) && !isPublic(operation))
      .flatMap((operation) =>
        (['candidate', 'employer'] as const)
          .filter((kind) => callersOf(operation).includes(kind))
          .map((kind) => ({ operation, kind })),
      )

  test('are to others of the kind as if they did not exist, whatever is asked of them', async () => {
    const everything = async () => [
      (await board.get('/v1/candidates/export', owners.candidate.key)).body.data,
      (await board.get('/v1/employers/applications', owners.employer.key)).body.data,
      (await board.get('/v1/employers/payments', owners.employer.key)).body.data,
    ]
    const before = await everything()
    const known = foreign().filter(({ operation }) => operation.includes('{id}'))
    expect(known.length).toBeGreaterThan(12)
    for (const { operation, kind } of known) {
      const prefix = operation.replace(/^\w+ /, '').replace(/\{id\}.*/, '')
      const id = ids[prefix]!
      expect(id, `a thing for ${operation}`).toBeDefined()
      const { key } = strangers[kind]
      const unknown = await ask(operation, key, id.replace(/_.*/, '_00000000000000000000000000'))
      const answer = await ask(operation, key, id)
      const words = ({ status, body }: typeof answer) => [status, body.code, body.title, body.detail]
      expect(words(answer), operation).toEqual(words(unknown))
      expect(answer.status, operation).toBe(404)
    }
    const [exported, ...others] = await everything()
    expect([{ ...exported, exported_at: before[0].exported_at }, ...others]).toEqual(before)
  })

  test('are in no list of others', async () => {
    const lists = foreign().filter(({ operation }) => /^GET [^{]+$/.test(operation))
    let seen = 0
    for (const { operation, kind } of lists) {
      const { status, body } = await ask(operation, strangers[kind].key)
      if (status !== 200 || !Array.isArray(body.data) || operation === 'GET /employers' || /products$/.test(operation))
        continue
      expect([operation, body.data]).toEqual([operation, []])
      seen++
    }
    expect(seen).toBeGreaterThan(6)
  })
})
