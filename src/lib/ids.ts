/**
 * Identifiers in TypeID format: a type prefix and a UUIDv7. The service generates these identifiers and stores them as
 * text.
 */
import { typeidUnboxed } from 'typeid-js'
import { accountKinds } from './api-keys.ts'

export const idPrefixes = {
  candidate: 'cand',
  employer: 'emp',
  admin: 'adm',
  integrator: 'int',
  job: 'job',
  apiKey: 'key',
  payment: 'pay',
  entitlement: 'ent',
  event: 'evt',
  resume: 'res',
  application: 'app',
  note: 'note',
  message: 'msg',
  jobAlert: 'alert',
  jobReport: 'rep',
  mail: 'mail',
  session: 'ses',
  passkey: 'pk',
  member: 'mem',
  operatorAction: 'act',
  block: 'block',
  claim: 'claim',
  webhook: 'wh',
  /** The database generates the IDs of stored deliveries. */
  webhookDelivery: 'whd',
  webhookRecovery: 'whr',
  feed: 'feed',
  feedRun: 'run',
} as const

export type IdKind = keyof typeof idPrefixes

/** Returns a new identifier. Identifiers of one kind that the same process creates sort in order of creation. */
export function newId(kind: IdKind): string {
  return typeidUnboxed(idPrefixes[kind])
}

/** The digits of identifiers, in ascending order. */
export const ID_DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * Returns the prefix of all identifiers of a kind created at the given time: the type prefix and ten digits for the
 * milliseconds. The result sorts before all identifiers of the kind created at that time or later.
 */
export function firstId(kind: IdKind, at: number): string {
  const digits = Array.from({ length: 10 }, (_, place) => ID_DIGITS[Math.floor(at / 32 ** (9 - place)) % 32])
  return `${idPrefixes[kind]}_${digits.join('')}`
}

/** Returns the pattern of an identifier in path parameters. Other values result in a 404. */
export function idPattern(kind: IdKind): string {
  return `^${idPrefixes[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`
}

/** Pattern of account identifiers of all kinds. */
export const accountIdPattern = accountKinds.map((kind) => `(?:${idPattern(kind)})`).join('|')
