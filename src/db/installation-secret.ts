/** Random secrets of an installation, created by the first process and shared by all processes. */
import { randomBytes } from 'node:crypto'
import type { Database } from './database.ts'

/** Returns the 32-byte secret stored under `name`, creating it if necessary. */
export async function installationSecret(database: Database, name: string): Promise<Uint8Array> {
  return database.inTx(async (tx) => {
    await tx
      .insertInto('installation_secret')
      .values({ name, value: randomBytes(32) })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
    const { value } = await tx
      .selectFrom('installation_secret')
      .select('value')
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
    return value
  })
}
