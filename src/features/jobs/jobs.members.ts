import { type Static, Type } from 'typebox'
import { Choice, LanguageTag, Nullable } from '../../lib/schema.ts'
import { experienceLevels } from '../../search/filters.ts'

/**
 * A job's plain members. Employers set them, lists show them, requests and responses share their schemas, and columns
 * with the same names store them. Schemas, queries, presenters, imports and exports are derived from this record.
 */
export const plainMembers = {
  remote: Type.Boolean(),
  experience_level: Nullable(Choice(experienceLevels)),
  language: Nullable(
    LanguageTag(
      'BCP 47 tag, such as de or de-AT. Default: detected from title and description. Null in jobs of an earlier release until it is detected.',
    ),
  ),
}
const PlainMembers = Type.Object(plainMembers)
type PlainMembers = Static<typeof PlainMembers>
export type SentPlainMembers = { readonly [Name in keyof PlainMembers]?: PlainMembers[Name] | null | undefined }

/** The values for omitted members. */
const defaults: PlainMembers = { remote: false, experience_level: null, language: null }

export const plainNames = Object.keys(defaults) as (keyof PlainMembers)[]

/** Returns the plain members of a row, a request or an imported line, with defaults for omitted members. */
export function plainMembersOf(source: SentPlainMembers): PlainMembers {
  const members = { ...defaults }
  const copy = <Name extends keyof PlainMembers>(name: Name) => {
    members[name] = source[name] ?? defaults[name]
  }
  for (const name of plainNames) copy(name)
  return members
}
