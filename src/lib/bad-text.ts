/** Texts that no database column can hold faithfully: a NUL character or half of a surrogate pair. */

export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** Deeper nesting than any body of ours has; it also bounds the recursion below. */
export const JSON_DEPTH_MAX = 32

/**
 * JSON pointers (`#/a/0`) of the strings and member names inside a JSON value that cannot be stored, or undefined
 * when the value is nested deeper than `JSON_DEPTH_MAX`.
 */
export function findUnstorableText(value: unknown, pointer = '#', depth = 0): string[] | undefined {
  if (typeof value === 'string') return isStorableText(value) ? [] : [pointer]
  if (value === null || typeof value !== 'object') return []
  if (depth === JSON_DEPTH_MAX) return undefined
  const found: string[] = []
  for (const [name, member] of Object.entries(value)) {
    const at = `${pointer}/${pointerToken(name)}`
    const inner = isStorableText(name) ? findUnstorableText(member, at, depth + 1) : [at]
    if (inner === undefined) return undefined
    found.push(...inner)
  }
  return found
}

/** A member name as a token of a JSON pointer in a URI fragment. */
export function pointerToken(name: string): string {
  if (/^[\w-]*$/.test(name)) return name
  return encodeURIComponent(name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'))
}
