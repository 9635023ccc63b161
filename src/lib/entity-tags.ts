/** ETags and their preconditions (RFC 9110, sections 8.8.3 and 13.1). */
import { hash } from 'node:crypto'

/** Length of an ETag in characters: 22 characters of base64url encode 132 bits. */
const TAG_LENGTH = 22

/** Returns the strong ETag of a representation. */
export function entityTag(bytes: string | Uint8Array): string {
  return `"${hash('sha256', bytes, 'base64url').slice(0, TAG_LENGTH)}"`
}

const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/y

/** Returns the ETags in a header. A malformed header yields none, so it matches nothing. */
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

/** The ETag of a resource: undefined if the resource has none, null if the resource does not exist. */
type Tag = string | undefined | null

/**
 * Returns whether If-None-Match allows the request: the header is absent or does not contain this tag. Weak tags match
 * too, and `*` matches any resource that exists.
 */
export function matchesNone(header: string | undefined, tag: Tag): boolean {
  if (header === undefined || tag === null) return true
  if (isAny(header)) return false
  return tag === undefined || !tagsOf(header).some((other) => withoutWeakness(other) === withoutWeakness(tag))
}

/**
 * Returns whether If-Match allows the request: the header is absent or contains this tag. Weak tags never match, and
 * `*` matches any resource that exists.
 */
export function matchesSome(header: string | undefined, tag: Tag): boolean {
  if (header === undefined) return true
  if (tag === null) return false
  if (isAny(header)) return true
  return tag !== undefined && !tag.startsWith('W/') && tagsOf(header).includes(tag)
}

/**
 * Throws `precondition_failed` if a resource is not in the state that the client expects. The parameter is the resource
 * as GET returns it, its ETag, undefined if the resource has no ETag, or null if it does not exist. Call this function
 * in the transaction that changes the resource, after locking its row.
 */
export type Precondition = (current: object | Tag) => void

/** Accepts any state of the resource. */
export const unconditionally: Precondition = () => {}
