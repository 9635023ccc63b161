import type { Reader, Tx } from '../../db/database.ts'
import { readToken } from '../../lib/signed-token.ts'
import type { MailKind, Unsubscription } from '../../mail/queue.ts'

export type Unsubscriptions = Readonly<Partial<Record<MailKind, Unsubscription>>>

/** What a token would end; undefined for one that is not ours, or whose thing is gone. */
export async function findUnsubscription(
  reader: Reader,
  unsubscriptions: Unsubscriptions,
  secret: Uint8Array,
  token: string,
): Promise<{ what: string; unsubscribe: (tx: Tx, now: Date) => Promise<void> } | undefined> {
  const [kind = '', id = ''] = readToken(secret, token)?.split(' ') ?? []
  const unsubscription = Object.hasOwn(unsubscriptions, kind) ? unsubscriptions[kind as MailKind] : undefined
  const what = await unsubscription?.describe(reader, id)
  if (!unsubscription || what === undefined) return undefined
  return { what, unsubscribe: (tx, now) => unsubscription.unsubscribe(tx, id, now) }
}
