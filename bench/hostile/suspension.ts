/** Jobs and pages of a suspended employer (C3). */
import { type Attack, Browser, call, newJob, send, waitFor } from './attack.ts'

const WITHIN_MS = 2_000

export const attacks: Attack[] = [
  {
    name: 'jobs, company page and applications of a suspended employer',
    finding: 'C3',
    async run(target) {
      const { admin, candidate, employer } = target.keys
      const word = `quagmire${Date.now().toString(36)}`
      const id = await newJob(target, employer, { title: `${word} hand` })
      const { account_id: account } = await call(target, 'GET', '/v1/me', employer)
      const { employer_id: company } = await call(target, 'GET', `/v1/jobs/${id}`, candidate)
      const statusOf = async (path: string, key?: string) =>
        (await send(target, 'GET', path, key ? { key } : {})).status
      /**
       * Returns the public view: jobs found, jobs in the feed, and the statuses of the job and the company in the API
       * and as pages.
       */
      const shown = async () => {
        const { length: found } = await call<unknown[]>(target, 'GET', `/v1/jobs?search=${word}`, candidate)
        const feed = (await send(target, 'GET', '/jobs.jsonl')).text.includes(id)
        const statuses = [
          await statusOf(`/v1/jobs/${id}`, candidate),
          await statusOf(`/jobs/${id}`),
          await statusOf(`/v1/employers/${company}`, candidate),
          await statusOf(`/companies/${company}`),
        ]
        return [found, Number(feed), ...statuses].join(' ')
      }
      // The URL without the title redirects to the page.
      const on = '1 1 200 301 200 200'
      const off = '0 0 404 404 404 404'
      const before = await shown()
      // Suspends through the page, because earlier releases have no API operation for it.
      const operator = await new Browser(target).signIn(admin)
      const { status } = await operator.post(`/desk/accounts/${account}/suspend`, { reason: 'Spam' })
      const goneMs = await waitFor(async () => (await shown()) === off, WITHIN_MS)
      const suspended = await shown()
      const apply = () =>
        send(target, 'POST', `/v1/candidates/jobs/${id}/apply`, { key: candidate, body: { cover_letter: 'Hello' } })
      const refused = await apply()
      if (goneMs === undefined) {
        return { held: false, figures: `suspending ${status}: ${suspended}, applying ${refused.status}` }
      }
      const own = await send(target, 'POST', '/v1/jobs', { key: employer, body: {} })
      await call(target, 'POST', `/v1/admin/accounts/${account}/resume`, admin, {})
      const backMs = await waitFor(async () => (await shown()) === on, WITHIN_MS)
      const applied = await apply()
      const held =
        before === on &&
        suspended === off &&
        backMs !== undefined &&
        refused.status === 404 &&
        own.status === 403 &&
        applied.status === 201
      return {
        held,
        figures: `list, feed and pages: ${before}; suspended: ${suspended}, applying ${refused.status}, own key ${own.status}; resumed: ${await shown()}, applying ${applied.status}`,
      }
    },
  },
]
