/**
 * PUT requests that merge: absent members stay unchanged, present members replace the current values, and read-only
 * members may be sent back unchanged.
 */
import { isDeepStrictEqual } from 'node:util'
import { pointerToken } from './bad-text.ts'
import type { BodyFault } from './errors.ts'

/**
 * Compares a body with the current resource. Returns the changed writable members, and faults for read-only members
 * that were changed.
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
