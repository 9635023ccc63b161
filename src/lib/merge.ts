/**
 * PUT requests that merge: absent members stay unchanged, present members replace the current values, and clients may
 * send read-only members back unchanged.
 */
import { isDeepStrictEqual } from 'node:util'
import { pointerToken } from './bad-text.ts'
import { type BodyFault, validationFailed } from './errors.ts'

/** Returns the members of a body that have no faults. The other members have already been reported. */
export function soundMembers(body: object, faults: readonly BodyFault[]): Record<string, unknown> {
  const faulty = new Set(faults.map(({ pointer }) => pointer.split('/')[1]))
  return Object.fromEntries(Object.entries(body).filter(([name]) => !faulty.has(name)))
}

/**
 * Compares a body with the current resource. Returns the changed writable members, and faults for changed read-only
 * members.
 */
export function compareWithPresent<W extends string>(
  present: Readonly<Record<string, unknown>>,
  body: Readonly<Record<string, unknown>>,
  writable: readonly W[],
): { changed: W[]; faults: BodyFault[] } {
  const changed: W[] = []
  const faults: BodyFault[] = []
  for (const [name, value] of Object.entries(body)) {
    if (isDeepStrictEqual(value, present[name])) continue
    if (writable.includes(name as W)) changed.push(name as W)
    else if (Object.hasOwn(present, name)) {
      const detail = `${name} is read-only. Omit it or send its current value.`
      faults.push({ pointer: `#/${pointerToken(name)}`, code: 'read_only_field', detail })
    }
  }
  return { changed, faults }
}

/**
 * Merges a body into a resource. Returns the merged resource and the names of the changed members. Throws
 * `validation_failed` if there are any faults: the given faults, or faults of read-only members.
 */
export function mergeBody<R extends Readonly<Record<string, unknown>>, W extends string>(
  present: R,
  { body, faults }: { body: Readonly<Record<string, unknown>>; faults: readonly BodyFault[] },
  writable: readonly W[],
) {
  const comparison = compareWithPresent(present, body, writable)
  const all = [...faults, ...comparison.faults]
  if (all.length > 0) throw validationFailed(all)
  const { changed } = comparison
  const merged: R = { ...present, ...Object.fromEntries(changed.map((member) => [member, body[member]])) }
  return { changed, merged }
}
