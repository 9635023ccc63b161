import { isBoardSetUp } from '../features/brand/index.ts'
import { settingsOf, UsageError, withDatabase } from './run.ts'
import { isEmpty, seedDemo } from './seed-demo.ts'
import { printTrial } from './trial.ts'

export const runSeedDemo = (): Promise<void> =>
  withDatabase(async (database, config, clock) => {
    if (!(await isEmpty(database))) {
      throw new UsageError('The demo board requires an empty database.')
    }
    printTrial(config, await seedDemo(database, settingsOf(config), clock), await database.read(isBoardSetUp))
  })
