/** `seed demo`: creates a fictional board for trying out the service. */
import { randomBytes } from 'node:crypto'
import type { Database, Tx } from '../db/database.ts'
import { demoApplicants, demoUpgrade } from '../demo/applicants.ts'
import { demoBoard } from '../demo/board.ts'
import { demoCandidate } from '../demo/candidate.ts'
import { demoReports } from '../demo/reports.ts'
import { confirmAddress, openAccount } from '../features/accounts/index.ts'
import { applyToJob, updateApplication } from '../features/applications/index.ts'
import { registerCandidate, updateCandidateProfile } from '../features/candidates/index.ts'
import { registerEmployer } from '../features/employers/index.ts'
import { createJobAlert } from '../features/job-alerts/index.ts'
import { reportJob } from '../features/job-reports/index.ts'
import { addViews, dayOf } from '../features/job-statistics/index.ts'
import { importJobs, type JobImport, type JobSettings } from '../features/jobs/index.ts'
import { createPayment, providers, settlePayment } from '../features/payments/index.ts'
import { addResume, stageResume } from '../features/resumes/index.ts'
import { saveJob } from '../features/saved-jobs/index.ts'
import { createFiles, type Files } from '../files/store.ts'
import { unconditionally } from '../lib/entity-tags.ts'
import { type Clock, DAY_MS } from '../lib/time.ts'

export interface DemoKeys {
  operator: string
  employer: { name: string; key: string }
  candidate: { name: string; key: string }
  /** A job of the demo employer that requires only a cover letter from applicants. */
  openJobId: string
  openJobs: number
}

/** Returns whether the board is empty except for admin accounts. */
export async function isEmpty(database: Database): Promise<boolean> {
  return database.read(async (db) => {
    const account = await db.selectFrom('account').select('id').where('kind', '<>', 'admin').limit(1).execute()
    const employer = await db.selectFrom('employer').select('id').limit(1).execute()
    return account.length + employer.length === 0
  })
}

/** Fills an empty board in one transaction. Returns the API keys, which cannot be read later. */
export async function seedDemo(database: Database, settings: JobSettings, clock: Clock): Promise<DemoKeys> {
  const now = clock.now()
  // Stores these files in the database even if an object store is configured, because a rollback cannot undo writes to
  // an object store.
  const files = createFiles(database, undefined)
  const keys = await database.inTx(async (tx) => {
    const board = await seedBoard(tx, settings, now)
    const candidate = await seedCandidate(tx, files, settings, now)
    await seedApplicants(tx, settings, now)
    await seedPayment(tx, settings, now)
    await seedViews(tx, now)
    await seedReports(tx, now)
    const { apiKey: operator } = await openAccount(tx, { kind: 'admin', name: 'Demo operator', email: null }, now)
    return { ...board, ...candidate, operator }
  })
  await database.withClient((client) => client.query('vacuum (analyze) job'))
  return keys
}

async function seedBoard(tx: Tx, settings: JobSettings, now: Date): Promise<Pick<DemoKeys, 'employer' | 'openJobs'>> {
  let employerKey: DemoKeys['employer'] | undefined
  let openJobs = 0
  for (const { jobs: advertised, ...profile } of demoBoard) {
    const { employer, apiKey } = await registerEmployer(tx, profile, now)
    await confirmAddress(tx, employer.id)
    employerKey ??= { name: employer.name, key: apiKey }
    for (const isActive of [true, false]) {
      const imports = advertised
        .filter(({ state }) => (state === 'active') === isActive)
        .map(({ state: _, posted_days_ago, runs_for_days, ...job }): JobImport => {
          const posted = now.getTime() - posted_days_ago * DAY_MS
          return {
            employer,
            job: {
              ...job,
              company: employer.name,
              posted_at: new Date(posted).toISOString(),
              expires_at: new Date(posted + runs_for_days * DAY_MS).toISOString(),
            },
          }
        })
      const imported = await importJobs(tx, settings, imports, { isActive, now })
      if (isActive) openJobs += imported
    }
  }
  return { employer: employerKey!, openJobs }
}

/** Creates a candidate whom employers can find, with a resume, a job alert, an application and saved jobs. */
async function seedCandidate(
  tx: Tx,
  files: Files,
  settings: JobSettings,
  now: Date,
): Promise<Pick<DemoKeys, 'candidate' | 'openJobId'>> {
  const { registration, profile, resume, application, alert } = demoCandidate
  const { candidate, apiKey } = await registerCandidate(tx, registration, now)
  const { id } = candidate
  await confirmAddress(tx, id)
  await updateCandidateProfile(tx, {
    origin: settings.origin,
    id,
    body: profile,
    faults: [],
    precondition: unconditionally,
    now,
    mover: {},
  })
  const upload = { filename: resume.filename, bytes: Buffer.from(resume.text) }
  await addResume(tx, await stageResume(tx, { files, candidateId: id, upload, now }))
  await createJobAlert(tx, { candidateId: id, body: alert, faults: [], now })
  const { jobTitle, cover_letter, answers, availableInDays } = application
  const available = new Date(now.getTime() + availableInDays * DAY_MS)
  const custom_questions = { ...answers, available_from: available.toISOString().slice(0, 10) }
  await applyToJob(tx, {
    candidateId: id,
    jobId: (await jobOf(tx, jobTitle)).id,
    body: { cover_letter, custom_questions },
    faults: [],
    now,
  })
  for (const title of demoCandidate.savedJobTitles) {
    await saveJob(tx, { kind: 'candidate', accountId: id }, (await jobOf(tx, title)).id, daysBefore(now, 1))
  }
  return {
    candidate: { name: `${registration.first_name} ${registration.last_name}`, key: apiKey },
    openJobId: (await jobOf(tx, demoCandidate.openJobTitle)).id,
  }
}

/** Creates more applicants. The demo employer then has applications to review. */
async function seedApplicants(tx: Tx, settings: JobSettings, now: Date): Promise<void> {
  for (const applicant of demoApplicants) {
    const { first_name, last_name, headline, location, jobTitle, coverLetter, answers, appliedDaysAgo, steps } =
      applicant
    const email = `${first_name}.${last_name}`
      .toLowerCase()
      .normalize('NFD')
      .replaceAll(/[^a-z.]/g, '')
    const registration = { first_name, last_name, email: `${email}@candidate.example` }
    const at = daysBefore(now, appliedDaysAgo)
    const { candidate } = await registerCandidate(tx, registration, at)
    const profile = { headline, location, mail_on_status_change: false }
    await updateCandidateProfile(tx, {
      origin: settings.origin,
      id: candidate.id,
      body: profile,
      faults: [],
      precondition: unconditionally,
      now: at,
      mover: {},
    })
    const job = await jobOf(tx, jobTitle)
    await saveJob(tx, { kind: 'candidate', accountId: candidate.id }, job.id, at)
    const body = { cover_letter: coverLetter, custom_questions: answers }
    const { id } = await applyToJob(tx, { candidateId: candidate.id, jobId: job.id, body, faults: [], now: at })
    const employer = { kind: 'employer', accountId: job.employer_id } as const
    for (const { daysAgo, ...step } of steps) {
      await updateApplication(tx, {
        origin: settings.origin,
        actor: employer,
        id,
        body: step,
        faults: [],
        precondition: unconditionally,
        now: daysBefore(now, daysAgo),
      })
    }
  }
}

async function seedPayment(tx: Tx, settings: JobSettings, now: Date): Promise<void> {
  const { jobTitle, products, daysAgo } = demoUpgrade
  const at = daysBefore(now, daysAgo)
  const job = await jobOf(tx, jobTitle)
  const payment = await createPayment(tx, {
    settings,
    provider: providers.test,
    employerId: job.employer_id,
    body: { job_id: job.id, products },
    faults: [],
    now: at,
  })
  await settlePayment(tx, settings, payment.id, at)
}

/** Creates job reports from visitors without an account, each on a different network. */
async function seedReports(tx: Tx, now: Date): Promise<void> {
  for (const [n, { jobTitle, reason, message, reportedDaysAgo }] of demoReports.entries()) {
    const visitor = { network: `demo ${n}`, secret: randomBytes(32) }
    const { id } = await jobOf(tx, jobTitle)
    await reportJob(tx, {
      reporter: visitor,
      jobId: id,
      body: { reason, message },
      faults: [],
      now: daysBefore(now, reportedDaysAgo),
    })
  }
}

const VIEWS_MAX = 60

/**
 * Creates views of every open job since its posting: most in the first days, and fewer on weekends. The numbers are
 * deterministic.
 */
async function seedViews(tx: Tx, now: Date): Promise<void> {
  const jobs = await tx.selectFrom('job').select(['id', 'title', 'posted_at']).where('state', '=', 'active').execute()
  const counts = jobs.flatMap(({ id, title, posted_at }) => {
    const age = Math.floor((now.getTime() - posted_at!.getTime()) / DAY_MS)
    return Array.from({ length: age + 1 }, (_, n) => {
      const day = daysBefore(now, age - n)
      const isWeekend = day.getUTCDay() % 6 === 0
      const views = (VIEWS_MAX / (1 + n / 3)) * (0.4 + ((title.length * 7 + n * 13) % 10) / 15) * (isWeekend ? 0.4 : 1)
      return { job_id: id, day: dayOf(day), views: Math.round(views) }
    })
  })
  await addViews(tx, counts)
}

const daysBefore = (now: Date, days: number) => new Date(now.getTime() - days * DAY_MS)

function jobOf(tx: Tx, title: string): Promise<{ id: string; employer_id: string }> {
  return tx.selectFrom('job').select(['id', 'employer_id']).where('title', '=', title).executeTakeFirstOrThrow()
}
