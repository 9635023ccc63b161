import type { Reader, Tx } from '../../db/database.ts'
import type { SettingTable } from '../../db/schema.ts'

const NAME = 'registration'

export function findSetting(reader: Reader): Promise<SettingTable | undefined> {
  return reader.selectFrom('setting').selectAll().where('name', '=', NAME).executeTakeFirst()
}

export async function upsertSetting(tx: Tx, setting: Omit<SettingTable, 'name'>): Promise<void> {
  await tx
    .insertInto('setting')
    .values({ name: NAME, ...setting })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(setting))
    .execute()
}
