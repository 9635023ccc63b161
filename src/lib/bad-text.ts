/** Detects text that the database cannot store exactly: text with NUL characters or unpaired surrogates. */
import { FAULTS_MAX } from './errors.ts'

export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** Maximum nesting depth of a body. No body needs more levels. Also limits the recursion below. */
export const JSON_DEPTH_MAX = 32

/**
 * Returns JSON pointers (`#/a/0`) to the unstorable strings and member names in a JSON value. Returns at most one
 * pointer more than a response reports. Returns undefined if the value is nested deeper than `JSON_DEPTH_MAX`.
 */
export function findUnstorableText(value: unknown): string[] | undefined {
  const found: string[] = []
  // Builds pointers only for faults, because an upload of 8 MiB can contain four million values.
  const path: (string | number)[] = []
  const report = () => {
    if (found.length <= FAULTS_MAX) found.push(['#', ...path.map((name) => pointerToken(String(name)))].join('/'))
  }
  const search = (part: unknown): boolean => {
    if (typeof part === 'string' && !isStorableText(part)) report()
    if (part === null || typeof part !== 'object') return true
    if (path.length === JSON_DEPTH_MAX) return false
    const isArray = Array.isArray(part)
    const names = isArray ? part.keys() : Object.keys(part)
    for (const name of names) {
      const member: unknown = part[name as keyof typeof part]
      path.push(name)
      if (!isArray && !isStorableText(name as string)) report()
      else if (!search(member)) return false
      path.pop()
    }
    return true
  }
  return search(value) ? found : undefined
}

const INVISIBLE = /[\s\p{Cc}\p{Cf}]/u
/**
 * Matches a visible character. Fillers, joiners and variation selectors are invisible on their own. They can belong to
 * a visible character, like the selector at the end of ❤️.
 */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u

/**
 * Whether each UTF-16 unit is invisible. A lookup table, because matching a million units against the expression takes
 * 70 ms.
 */
const isInvisible = Uint8Array.from({ length: 65_536 }, (_, unit) => Number(INVISIBLE.test(String.fromCharCode(unit))))

/**
 * Returns the text without spaces, control characters and format characters at either end, or an empty string if it has
 * no visible characters.
 */
export function trimInvisible(text: string): string {
  if (!VISIBLE.test(text)) return ''
  let start = 0
  let end = text.length
  while (start < end && isInvisible[text.charCodeAt(start)] === 1) start++
  while (start < end && isInvisible[text.charCodeAt(end - 1)] === 1) end--
  return text.slice(start, end)
}

/** Returns a member name as a JSON pointer token for a URI fragment. */
export function pointerToken(name: string): string {
  if (/^[\w-]*$/.test(name)) return name
  return encodeURIComponent(name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'))
}
