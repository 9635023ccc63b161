/** A request's log line contains its resource, client and trace, but no secrets. */
import { afterEach, describe, expect, test } from 'vitest'
import { jobBody, useBoard } from '../support/board.ts'

const board = useBoard()
let count = 0

/** Sends a request and returns its log line. */
async function lineOf(method: string, path: string, options: { key?: string; body?: unknown; headers?: object } = {}) {
  const id = `request-log-${count++}`
  const headers = { ...options.headers, 'x-request-id': id } as Record<string, string>
  const answer = await board.call(method, path, { ...options, headers } as Parameters<typeof board.call>[2])
  const lines = () => board.log.split('\n').filter((text) => text.includes(`"request_id":"${id}"`))
  await expect.poll(() => lines()).toHaveLength(1)
  return { answer, line: JSON.parse(lines()[0]!) as Record<string, unknown> }
}

describe('the log line', () => {
  test('contains the resource ID from the URL, on the fast and the regular path', async () => {
    const employer = await board.account('employer')
    const { id } = await board.activeJob(employer)
    for (let n = 0; n < 3; n++) {
      const { line } = await lineOf('GET', `/v1/jobs/${id}`, employer)
      expect(line).toMatchObject({ route: '/v1/jobs/:id', resource_id: id, account_id: employer.id })
    }
    expect((await lineOf('GET', `/v1/employers/jobs/${id}/statistics`, employer)).line.resource_id).toBe(id)
  })

  test('contains the ID of a created resource', async () => {
    const employer = await board.account('employer')
    const { answer, line } = await lineOf('POST', '/v1/jobs', { key: employer.key, body: jobBody() })
    expect(line).toMatchObject({ status: 201, resource_id: answer.body.data.id })
  })

  test('contains the resource ID even if the request fails, but only a well-formed ID on a known route', async () => {
    const employer = await board.account('employer')
    const unknown = 'job_01m7xsdx7jf22t92szxf2bc5dd'
    expect((await lineOf('GET', `/v1/jobs/${unknown}`, employer)).line).toMatchObject({
      status: 404,
      resource_id: unknown,
    })
    for (const path of ['/v1/jobs', '/v1/jobs/frob', '/v1/jobs/job_%22', `/nowhere/${unknown}`]) {
      expect((await lineOf('GET', path, employer)).line).not.toHaveProperty('resource_id')
    }
  })

  test('contains the route of a checkout link without its token, and no resource ID', async () => {
    const employer = await board.account('employer')
    const { id } = (await board.post('/v1/jobs', employer.key, jobBody())).body.data
    const payment = await board.post('/v1/employers/payments', employer.key, { job_id: id, products: ['job-post'] })
    const { pathname } = new URL(payment.body.data.checkout_url)
    const { line } = await lineOf('GET', pathname)
    expect(line.route).toBe('/checkout/:token')
    expect(line).not.toHaveProperty('resource_id')
  })
})

describe('the traceparent header', () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'

  test.each([`00-${trace}-00f067aa0ba902b7-01`, `01-${trace}-00f067aa0ba902b7-00-more`])(
    'sets the trace: %s',
    async (traceparent) => {
      expect((await lineOf('GET', '/healthz', { headers: { traceparent } })).line.trace_id).toBe(trace)
    },
  )

  test.each([
    `ff-${trace}-00f067aa0ba902b7-01`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace.toUpperCase()}-00f067aa0ba902b7-01`,
    `00-${trace}-00f067aa0ba902b7-01-more`,
    `00-${trace}-00f067aa0ba902b7`,
    `${trace}","level":60,"a":"`,
    '',
  ])('is ignored if it is invalid: %s', async (traceparent) => {
    expect((await lineOf('GET', '/healthz', { headers: { traceparent } })).line).not.toHaveProperty('trace_id')
  })
})

describe('the client in the log line', () => {
  afterEach(() => board.restart())

  const clientOf = async (environment: Record<string, string>, forwarded: string) => {
    await board.restart({ TRUST_PROXY: '1', ...environment })
    return (await lineOf('GET', '/healthz', { headers: { 'x-forwarded-for': forwarded } })).line.client
  }

  test('is absent if LOG_CLIENT_ADDRESS is missing or none', async () => {
    expect(await clientOf({}, '203.0.113.77')).toBeUndefined()
    expect(await clientOf({ LOG_CLIENT_ADDRESS: 'none' }, '203.0.113.77')).toBeUndefined()
  })

  test.each([
    ['truncated', '203.0.113.77', '203.0.113.0/24'],
    ['truncated', '2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['truncated', 'fe80::1%eth0', 'fe80::/48'],
    ['full', '203.0.113.77', '203.0.113.77'],
    ['full', '2001:db8:0:0::6', '2001:db8::6'],
    ['full', '::ffff:203.0.113.77', '203.0.113.77'],
  ])('is %s: %s becomes %s', async (form, forwarded, client) => {
    expect(await clientOf({ LOG_CLIENT_ADDRESS: form }, forwarded)).toBe(client)
  })
})
