import { createKeyByOperator } from '../features/accounts/index.ts'
import { UsageError, withDatabase } from './run.ts'

export interface CreateKeyOptions {
  kind?: 'admin' | 'integrator'
  account?: string
  name: string
}

export async function runCreateKey({ kind, account, name }: CreateKeyOptions): Promise<void> {
  if ((kind === undefined) === (account === undefined)) throw new UsageError('Use either --kind or --account.')
  const wanted = account === undefined ? { kind: kind! } : { accountId: account }
  await withDatabase(async (database, _config, clock) => {
    const created = await database.inTx((tx) => createKeyByOperator(tx, wanted, name, clock.now()))
    console.error(`Account ${created.accountId}. This is the only time the key is shown:`)
    console.log(created.key)
  })
}
