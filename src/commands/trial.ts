import { join } from 'node:path'
import { isBoardSetUp } from '../features/brand/index.ts'
import { systemClock } from '../lib/time.ts'
import { type Config, originOf, readConfig } from '../main/config.ts'
import { serve } from '../main/serve.ts'
import { settingsOf } from './run.ts'
import { type DemoKeys, isEmpty, seedDemo } from './seed-demo.ts'

/**
 * Prints where to find the website, the API and emails. With `keys`, also prints these API keys and commands to try
 * with them.
 */
export function printTrial(config: Config, keys: DemoKeys | undefined, isSetUp: boolean): void {
  const origin = originOf(config)
  const emails =
    config.mailUrl === undefined
      ? `Emails are written to ${join(config.dataDir, 'mail')}`
      : 'Emails are sent through MAIL_URL'
  const lines = [
    ...(config.hasPages ? [`Website: ${origin}`] : []),
    ...(config.hasPages && !isSetUp ? [`Set up your board: ${origin}/desk/board (sign in with an admin key)`] : []),
    `API: ${origin}/v1, reference: ${origin}/v1/docs`,
    emails,
  ]
  if (keys) {
    const { operator, employer, candidate, openJobs, openJobId } = keys
    const column = Math.max(employer.name.length, candidate.name.length)
    const curl = (path: string, key: string) => `  curl -s '${origin}/v1${path}' -H 'Authorization: Bearer ${key}'`
    lines.push(
      '',
      `Demo board: ${openJobs} open jobs. This is the only time these API keys are shown:`,
      `  operator  ${' '.repeat(column)} ${operator}`,
      `  employer  ${employer.name.padEnd(column)} ${employer.key}`,
      `  candidate ${candidate.name.padEnd(column)} ${candidate.key}`,
      '',
      'Search for a job, apply to one, and see who applied:',
      curl('/jobs?search=battery&limit=3', candidate.key),
      `${curl(`/candidates/jobs/${openJobId}/apply`, candidate.key)} \\\n` +
        `    -H 'Content-Type: application/json' -d '{"cover_letter":"I would like to close your tailgates."}'`,
      curl('/employers/applications', employer.key),
    )
  } else {
    lines.push(
      '',
      'An API key is shown only when it is created. To create a new one, stop this process and run:',
      '  npm run cli -- keys create --kind admin --name "My key"',
    )
  }
  console.log(`\n${lines.join('\n')}\n`)
}

export async function runTrial(): Promise<void> {
  const config = readConfig({ PAYMENTS: 'test', LOG_LEVEL: 'warn', STOP_DELAY_S: '0', ...process.env })
  process.exitCode = await serve(config, {
    onListening: async (database) => {
      const keys = (await isEmpty(database)) ? await seedDemo(database, settingsOf(config), systemClock) : undefined
      printTrial(config, keys, await database.read(isBoardSetUp))
    },
  })
}
