/** Emails that an account can send to another person (A3), and emails that remain after an erasure (D). */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import PostalMime, { type Email } from 'postal-mime'
import {
  type Attack,
  Browser,
  call,
  countStatuses,
  newAddress,
  newJob,
  register,
  send,
  type Target,
  waitFor,
} from './attack.ts'

/** Exceeds the interval of each task that `runTask` runs. */
const ROUND_MS = 6_000

/**
 * Runs a task and waits until it ends. Earlier releases cannot run tasks on request, so this function waits for the
 * next scheduled run.
 */
async function runTask(target: Target, name: string): Promise<void> {
  const { admin: key } = target.keys
  const { status } = await send(target, 'POST', `/v1/admin/tasks/${name}/runs`, { key, body: {} })
  if (status === 404) return pause(ROUND_MS)
  for (let isOver = false; !isOver && !target.signal.aborted; await pause(50)) {
    const tasks = await call<{ name: string; run: { state: string } | null }[]>(target, 'GET', '/v1/admin/tasks', key)
    isOver = ['done', 'failed'].includes(tasks.find((task) => task.name === name)?.run?.state ?? '')
  }
}

/** Sends due emails and returns all emails to `address`. */
async function emailsTo(target: Target, address: string): Promise<Email[]> {
  await runTask(target, 'mail')
  return filesTo(target, address)
}

/** Returns all emails to `address` on disk. */
async function filesTo(target: Target, address: string): Promise<Email[]> {
  const folder = join(target.dataDir, 'mail')
  const names = readdirSync(folder).filter((name) => name.endsWith('.eml'))
  const files = names.flatMap((name) => {
    try {
      return [readFileSync(join(folder, name))]
    } catch {
      // The service deleted the file in the meantime.
      return []
    }
  })
  const emails = await Promise.all(files.map((file) => PostalMime.parse(file)))
  return emails.filter(({ to }) => to?.some((receiver) => receiver.address === address))
}

/** Creates a job as the employer, applies to it, and returns the application's ID. */
async function applyTo(target: Target, candidate: string, title: string): Promise<string> {
  const job = await newJob(target, target.keys.employer, { title })
  const { id } = await call(target, 'POST', `/v1/candidates/jobs/${job}/apply`, candidate, { cover_letter: 'Hello' })
  return id!
}

const moveTo = (target: Target, application: string, status: string) =>
  call(target, 'PUT', `/v1/employers/applications/${application}`, target.keys.employer, { status })

const APPLICATIONS = 5
const UNCONFIRMED_MAX = 3
const FLIPS = 40
const FLIPS_A_ROUND = 16
const REQUESTS_OF_ONE = 10
const REQUESTS = 40
const REQUESTS_MAX = 30

export const attacks: Attack[] = [
  {
    name: "emails with the attacker's text to an unconfirmed email address",
    finding: 'A3',
    async run(target) {
      const { key, email } = await register(target, 'candidate', undefined, 'CLICK EVIL.EXAMPLE')
      const name = 'EVIL.EXAMPLE Ltd'
      await call(target, 'PUT', '/v1/employers/profile', target.keys.employer, { name })
      for (let n = 0; n < APPLICATIONS; n++) {
        await moveTo(target, await applyTo(target, key, `Visit EVIL.EXAMPLE ${n}`), 'reviewed')
      }
      const alert = { name, criteria: { search: 'visit' }, frequency: 'instant' }
      await call(target, 'POST', '/v1/candidates/job-alerts', key, alert)
      await newJob(target, target.keys.employer, { title: 'Visit EVIL.EXAMPLE again' })
      await runTask(target, 'job-alerts-instant')
      const emails = await emailsTo(target, email)
      const typed = emails.filter(({ subject, text, html }) => /evil|click|visit/i.test(`${subject}${text}${html}`))
      return {
        held: emails.length > 0 && emails.length <= UNCONFIRMED_MAX && typed.length === 0,
        figures: `${APPLICATIONS + 1} causes, ${emails.length} emails, ${typed.length} of them with the attacker's text`,
      }
    },
  },
  {
    name: 'many sign-in emails, to one email address and to many',
    finding: 'A3',
    async run(target) {
      const { email } = await register(target, 'candidate', target.keys.admin)
      const guest = new Browser(target)
      const token = await guest.token()
      const answers = []
      for (let n = 0; n < REQUESTS && !target.signal.aborted; n++) {
        answers.push(await guest.post('/sign-in/link', { email: n < REQUESTS_OF_ONE ? email : newAddress() }, token))
      }
      const emails = await emailsTo(target, email)
      const taken = answers.filter(({ status }) => status === 303).length
      return {
        held: emails.length === 1 && taken > REQUESTS_OF_ONE && taken <= REQUESTS_MAX,
        figures: `${REQUESTS_OF_ONE} requests for one email address: ${emails.length} emails; all requests: ${countStatuses(answers)}`,
      }
    },
  },
  {
    name: 'repeated status changes of an application',
    finding: 'A3',
    async run(target) {
      const { key, email } = await register(target, 'candidate', target.keys.admin)
      const application = await applyTo(target, key, 'Engineer')
      for (let n = 0; n < FLIPS; n++) {
        await moveTo(target, application, n % 2 === 0 ? 'reviewed' : 'contacted')
        if (n % FLIPS_A_ROUND === 0) await emailsTo(target, email)
      }
      const { length: emails } = await emailsTo(target, email)
      // The confirmation of the application, and at most two emails about its status.
      return { held: emails > 0 && emails <= 3, figures: `${FLIPS} changes, ${emails} emails` }
    },
  },
  {
    name: 'the emails of an erased candidate',
    finding: 'D',
    async run(target) {
      const { key, email } = await register(target, 'candidate', target.keys.admin)
      await moveTo(target, await applyTo(target, key, 'Engineer'), 'reviewed')
      const { length: before } = await emailsTo(target, email)
      await call(target, 'DELETE', '/v1/candidates/profile', key)
      const ms = await waitFor(async () => (await filesTo(target, email)).length === 0, ROUND_MS)
      const fate = ms === undefined ? 'still on disk' : `deleted after ${ms.toFixed(0)} ms`
      return { held: before > 0 && ms !== undefined, figures: `${before} emails, ${fate}` }
    },
  },
]
