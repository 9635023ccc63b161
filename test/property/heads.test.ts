/**
 * Response heads are at most 3 KiB. nginx's default buffer holds 4 KiB. If a head exceeds this buffer, nginx returns
 * 502 and marks the process as failed.
 */
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { accountKinds } from '../../src/lib/api-keys.ts'
import { attachment } from '../../src/lib/content-disposition.ts'
import { useBoard } from '../support/board.ts'
import { pdf } from '../support/documents.ts'
import { headOf } from '../support/heads.ts'
import { pageWorld } from '../support/page-world.ts'
import { visitor } from '../support/pages.ts'
import { upload } from '../support/resumes.ts'

const HEAD_BYTES_MAX = 3_072
const ORIGIN_ALLOWED = `https://${'pages.'.repeat(40)}example`
const board = useBoard({ RATE_LIMIT: 'on', TRUST_PROXY: '127.0.0.1', CORS_ORIGINS: ORIGIN_ALLOWED })

/** Each sender's credentials: none, an invalid API key, or an account's API key and session cookie. */
const credentials: Record<string, string>[] = [{}, { authorization: `Bearer ${'x'.repeat(3_000)}` }]
const paths = new Set<string>()

beforeAll(async () => {
  const { accounts, paths: worldPaths } = await pageWorld(board)
  for (const kind of accountKinds) {
    const signedIn = await visitor(board, accounts[kind])
    const cookie = [...signedIn.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    credentials.push({ cookie, authorization: `Bearer ${accounts[kind].key}` })
  }
  for (const path of Object.values(worldPaths).flat()) paths.add(path)
  for (const path of routesOf(board.service.app.printRoutes({ commonPrefix: false }))) paths.add(path)
})

/** Returns the paths in Fastify's route tree, which has one segment per line, indented by four characters per level. */
function routesOf(tree: string): string[] {
  const parents: string[] = []
  return [...tree.matchAll(/^([│ ]*)[├└]── (\S*) \(/gm)].map(([, indent, segment]) => {
    const depth = indent!.length / 4
    parents.length = depth
    parents.push(segment!)
    return parents.join('')
  })
}

/** Texts with lengths around every limit, with and without characters that grow when encoded. */
const long = fc
  .tuple(
    fc.constantFrom(0, 40, 300, 700, 1_000, 1_500, 2_000, 2_700, 7_000),
    fc.constantFrom('x', '%C3%A9', '<', '|', '+', 'a=&', '&b=c', '/', '%252F'),
  )
  .map(([length, text]) => text.repeat(Math.ceil(length / text.length)).slice(0, length))
const query = fc
  .tuple(
    fc.constantFrom('', 'search=', 'page=2&limit=1&search=', 'cursor=&location=', 'location=&search=', 'sort=', 'q'),
    long,
    fc.constantFrom('', '&limit=1', '&return_to=/jobs', '&status=', '&page=1'),
    fc.boolean(),
  )
  .map(([start, text, end, isReturn]) => `?${isReturn ? 'return_to=/jobs?search=' : start}${text}${end}`)
const header = fc.constantFrom(
  ...['x-request-id', 'accept', 'accept-language', 'idempotency-key', 'if-none-match', 'if-match', 'range', 'host'],
  ...['referer', 'origin', 'content-type', 'content-disposition', 'user-agent', 'prefer', 'last-event-id'],
)
const request = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'),
  who: fc.nat(),
  parameter: long,
  query,
  headers: fc.array(fc.tuple(header, long), { maxLength: 3 }),
  isForeign: fc.boolean(),
  network: fc.ipV4(),
})
type Request = typeof request extends fc.Arbitrary<infer R> ? R : never

function written(path: string, { method, who, parameter, query: sent, headers, isForeign, network }: Request): string {
  const fields = {
    host: 'board.example',
    'x-request-id': 'r'.repeat(128),
    'x-forwarded-for': network,
    ...(isForeign && { origin: ORIGIN_ALLOWED, 'access-control-request-method': 'GET' }),
    ...credentials[who % credentials.length],
    ...Object.fromEntries(headers.map(([name, text]) => [name, text.slice(0, 3_000)])),
  }
  const [bare = '', own] = path.replace(/[:*]\w*/g, () => parameter.replace(/[&?#]/g, 'x') || 'x').split('?')
  const target = `${bare}?${[sent.slice(1), own ?? ''].filter((part) => part !== '').join('&')}`.slice(0, 8_192)
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`
}

async function expectSmall(text: string): Promise<string> {
  const head = await headOf(board.address, text)
  expect(head.length, `${text.slice(0, 300)}…\n${head}`).toBeLessThanOrEqual(HEAD_BYTES_MAX)
  return head
}

test('every route responds to any request with a head of at most 3 KiB', async () => {
  expect(paths.size).toBeGreaterThan(180)
  for (const path of paths) {
    await fc.assert(
      fc.asyncProperty(request, async (sent) => void (await expectSmall(written(path, sent)))),
      { numRuns: 16, endOnFailure: true },
    )
  }
})

test('a preflight does not repeat an unknown origin', async () => {
  const origin = 'a=&'.repeat(1_000)
  const head = await headOf(
    board.address,
    `OPTIONS /v1/board HTTP/1.1\r\nHost: board.example\r\nOrigin: ${origin}\r\nAccess-Control-Request-Method: GET\r\n\r\n`,
  )
  expect(head).toMatch(/^HTTP\/1\.1 204 [\s\S]*\r\naccess-control-allow-origin: \*\r\n/)
})

describe('long echoed text', () => {
  const from = (path: string, headers: Record<string, string> = {}) =>
    written(path, {
      ...{ method: 'GET', who: 0, parameter: '', query: '', isForeign: false, network: '192.0.2.9' },
      headers: Object.entries(headers),
    })
  const search = (length: number) => `search=${'x'.repeat(length)}`

  test('removes the Link header of a list, on the fast and the regular path', async () => {
    const authorization = `Bearer ${(await board.account('candidate')).key}`
    const ask = async (length: number) => expectSmall(from(`/v1/jobs?page=1&${search(length)}`, { authorization }))
    for (const [length, isLinked] of [
      [100, true],
      [900, false],
    ] as const) {
      // The second and third responses come from memory; the third also bypasses Fastify.
      for (let n = 0; n < 3; n++) {
        const head = await ask(length)
        expect(head).toMatch(/^HTTP\/1\.1 200 /)
        expect(/^link: /im.test(head)).toBe(isLinked)
      }
    }
    for (const page of ['/jobs', '/companies']) {
      expect(/^link: /im.test(await expectSmall(from(`${page}?location=${'x'.repeat(100)}`)))).toBe(true)
      expect(/^link: /im.test(await expectSmall(from(`${page}?location=${'x'.repeat(900)}`)))).toBe(false)
    }
  })

  test('gets 414 instead of a redirect to a shorter URL of the same page', async () => {
    const short = await expectSmall(from(`/jobs?location=&${search(1_900)}`))
    expect(short).toMatch(/^HTTP\/1\.1 303 [\s\S]*\r\nlocation: \/jobs\?search=x+\r\n/i)
    const refused = await expectSmall(from(`/jobs?location=&${search(3_000)}`))
    expect(refused).toMatch(/^HTTP\/1\.1 414 /)
    expect(refused).not.toMatch(/^location: /im)
    const { key } = await board.account('admin')
    const cookie = [...(await visitor(board, { key })).cookies].map((pair) => pair.join('=')).join('; ')
    expect(await expectSmall(from(`/desk/payments?ref=${'x'.repeat(3_000)}`, { cookie }))).toMatch(/^HTTP\/1\.1 414 /)
  })

  test('removes the return path from the redirect to the sign-in page', async () => {
    expect(await expectSmall(from(`/me/saved-jobs?${search(100)}`))).toMatch(/^location: \/sign-in\?return_to=/im)
    expect(await expectSmall(from(`/me/saved-jobs?${search(2_000)}`))).toMatch(/^location: \/sign-in\r$/im)
  })

  test('fits into the head as a file name', async () => {
    const candidate = await board.candidate()
    const { id } = await upload(board, candidate, pdf('Engineer'), `${'履'.repeat(240)}.pdf`)
    const head = await expectSmall(from(`/v1/candidates/resume/${id}`, { authorization: `Bearer ${candidate.key}` }))
    expect(head).toMatch(/^HTTP\/1\.1 200 [\s\S]*filename\*=UTF-8''(?:%E5%B1%A5)+\.pdf\r\n/)
    expect(attachment('café.pdf')).toBe(`attachment; filename="caf?.pdf"; filename*=UTF-8''caf%C3%A9.pdf`)
  })
})
