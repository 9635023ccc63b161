/** Texts that no database column can hold faithfully: a NUL character or half of a surrogate pair. */
import { FAULTS_MAX } from './errors.ts'

export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** Deeper nesting than any body of ours has; it also bounds the recursion below. */
export const JSON_DEPTH_MAX = 32

/**
 * Returns JSON pointers (`#/a/0`) of the strings and member names inside a JSON value that cannot be stored, at most one
 * more than are reported; undefined when the value is nested deeper than `JSON_DEPTH_MAX`.
 */
export function findUnstorableText(value: unknown): string[] | undefined {
  const found: string[] = []
  // Pointers are written for what is found only: an upload of 8 MiB can hold four million values.
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
/** Fillers, joiners and selectors of variants show nothing of their own, but belong to what they stand beside: ❤️ ends in one. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u

/** By UTF-16 unit: a million of them one by one against the expression took 70 ms. */
const isInvisible = Uint8Array.from({ length: 65_536 }, (_, unit) => Number(INVISIBLE.test(String.fromCharCode(unit))))

/** Without spaces, control and format characters at either end; empty where nothing of the text can be seen. */
export function trimInvisible(text: string): string {
  if (!VISIBLE.test(text)) return ''
  let start = 0
  let end = text.length
  while (start < end && isInvisible[text.charCodeAt(start)] === 1) start++
  while (start < end && isInvisible[text.charCodeAt(end - 1)] === 1) end--
  return text.slice(start, end)
}

/** A member name as a token of a JSON pointer in a URI fragment. */
export function pointerToken(name: string): string {
  if (/^[\w-]*$/.test(name)) return name
  return encodeURIComponent(name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'))
}
