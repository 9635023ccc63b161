/** Entity tags and the conditions on them (RFC 9110, sections 8.8.3 and 13.1). */
import { hash } from 'node:crypto'

/** 22 characters of base64url hold 132 bits. */
const TAG_LENGTH = 22

/** The strong tag of a representation: other bytes, another tag. */
export function entityTag(bytes: string | Uint8Array): string {
  return `"${hash('sha256', bytes, 'base64url').slice(0, TAG_LENGTH)}"`
}

const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/y

/** The tags of a list; none where it is not one, so that it matches nothing. */
function tagsOf(header: string): string[] {
  const tags: string[] = []
  for (let at = 0; ; at++) {
    while (header[at] === ' ' || header[at] === '\t') at++
    TAG.lastIndex = at
    const [tag] = TAG.exec(header) ?? []
    if (tag !== undefined) {
      tags.push(tag)
      at += tag.length
      while (header[at] === ' ' || header[at] === '\t') at++
    }
    if (at >= header.length) return tags
    if (header[at] !== ',') return []
  }
}

const isAny = (header: string) => header.trim() === '*'
const withoutWeakness = (tag: string) => tag.replace(/^W\//, '')

/** Whether an If-None-Match lets the request pass: no tag in it is this one, weak or not. Without a header it does. */
export function matchesNone(header: string | undefined, tag: string | undefined): boolean {
  if (header === undefined) return true
  if (isAny(header)) return false
  return tag === undefined || !tagsOf(header).some((other) => withoutWeakness(other) === withoutWeakness(tag))
}

/** Whether an If-Match lets the request pass: a tag in it is this one, and neither is weak. Without a header it does. */
export function matchesSome(header: string | undefined, tag: string | undefined): boolean {
  if (header === undefined || isAny(header)) return true
  return tag !== undefined && !tag.startsWith('W/') && tagsOf(header).includes(tag)
}

/**
 * Throws `precondition_failed` where a thing is not as the client believes. It is asked with the thing as its own GET
 * shows it, with its tag, or with nothing where it has none; in the transaction of the change, when the row is locked.
 */
export type Precondition = (current: object | string | undefined) => void

/** Whatever the thing is like. */
export const unconditionally: Precondition = () => {}
