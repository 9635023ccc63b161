/** Random secrets of an installation, made once by whichever process comes first and shared by all. */
import { randomBytes } from 'node:crypto'
import type { Database } from './database.ts'

/** The 32 bytes stored under `name`. */
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
