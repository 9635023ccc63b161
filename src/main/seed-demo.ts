/** `seed demo`: the fictional demo board, for a trial. */
import type { Database, Tx } from '../db/database.ts'
import { demoBoard } from '../demo/board.ts'
import { openAccount } from '../features/accounts/index.ts'
import { registerCandidate } from '../features/candidates/index.ts'
import { registerEmployer } from '../features/employers/index.ts'
import { importJobs, type JobImport, type JobSettings } from '../features/jobs/index.ts'
import { type Clock, DAY_MS } from '../lib/time.ts'

export interface DemoKeys {
  operator: string
  employer: { name: string; key: string }
  candidate: { name: string; key: string }
  jobs: number
}

/** Whether nobody has an account here but the operator, and no job was imported. */
export async function isEmpty(database: Database): Promise<boolean> {
  return database.read(async (db) => {
    const account = await db.selectFrom('account').select('id').where('kind', '<>', 'admin').limit(1).execute()
    const employer = await db.selectFrom('employer').select('id').limit(1).execute()
    return account.length + employer.length === 0
  })
}

/** Fills an empty board in one transaction; the keys are returned here only. */
export async function seedDemo(database: Database, settings: JobSettings, clock: Clock): Promise<DemoKeys> {
  const now = clock.now()
  const keys = await database.inTx((tx) => seed(tx, settings, now))
  await database.withClient((client) => client.query('vacuum (analyze) job'))
  return keys
}

async function seed(tx: Tx, settings: JobSettings, now: Date): Promise<DemoKeys> {
  let employerKey: DemoKeys['employer'] | undefined
  let jobs = 0
  for (const { jobs: advertised, ...profile } of demoBoard) {
    const { employer, apiKey } = await registerEmployer(tx, profile, now)
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
      jobs += await importJobs(tx, settings, imports, { isActive, now })
    }
  }
  const person = { first_name: 'Robin', last_name: 'Demo', email: 'robin.demo@candidate.example' }
  const { apiKey: candidateKey } = await registerCandidate(tx, person, now)
  const { apiKey: operator } = await openAccount(tx, { kind: 'admin', name: 'Demo operator', email: null }, now)
  return {
    operator,
    employer: employerKey!,
    candidate: { name: `${person.first_name} ${person.last_name}`, key: candidateKey },
    jobs,
  }
}
