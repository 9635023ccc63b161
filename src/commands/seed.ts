import { settingsOf, UsageError, withDatabase } from './run.ts'
import { isEmpty, seedDemo } from './seed-demo.ts'
import { printTrial } from './trial.ts'

/** `seed demo`. */
export const runSeedDemo = (): Promise<void> =>
  withDatabase(async (database, config, clock) => {
    if (!(await isEmpty(database))) {
      throw new UsageError('The database is not empty. The demo board requires an empty one.')
    }
    printTrial(config, await seedDemo(database, settingsOf(config), clock))
  })
