/** Identifiers: a type prefix over a UUIDv7 in TypeID form, made here and stored as text. */
import { typeidUnboxed } from 'typeid-js'

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
  jobAlert: 'alert',
  jobReport: 'rep',
  mail: 'mail',
  session: 'ses',
  operatorAction: 'act',
  block: 'block',
  webhook: 'wh',
  /** Made by the database, in the statement of its event. */
  webhookDelivery: 'whd',
  webhookRecovery: 'whr',
} as const

export type IdKind = keyof typeof idPrefixes

/** A new identifier; ids of one process ascend in the order they were made. */
export function newId(kind: IdKind): string {
  return typeidUnboxed(idPrefixes[kind])
}

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'

/** The beginning of the first id of a time, in ten digits of milliseconds; it sorts before all ids made from then on. */
export function firstId(kind: IdKind, at: number): string {
  const digits = Array.from({ length: 10 }, (_, place) => DIGITS[Math.floor(at / 32 ** (9 - place)) % 32])
  return `${idPrefixes[kind]}_${digits.join('')}`
}

/** The form of an identifier, for path parameters: anything else is not found. */
export function idPattern(kind: IdKind): string {
  return `^${idPrefixes[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`
}
