import { type Database, openDatabase } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { describePlan, planMigrations } from '../db/migration-plan.ts'
import { withBareDatabase } from './run.ts'

export async function runMigrate({ plan = false }: { plan?: boolean }): Promise<void> {
  if (plan) return withBareDatabase(printPlan)
  const report = { onBlocked: console.error, onProgress: console.error }
  const applied = await withBareDatabase((database) => migrate(database, report))
  console.log(applied.length > 0 ? `Applied ${applied.join(', ')}` : 'No migrations to apply')
}

async function printPlan(database: Database): Promise<void> {
  const scratch = await openDatabase({ dataDir: undefined })
  try {
    const planned = await planMigrations(database, scratch)
    for (const line of describePlan(planned)) console.log(line)
    if (planned.length === 0) console.log('No migrations to apply')
  } finally {
    await scratch.close()
  }
}
