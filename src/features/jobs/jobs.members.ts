import { type Static, Type } from 'typebox'
import { Choice, LanguageTag, Nullable } from '../../lib/schema.ts'
import { experienceLevels } from '../../search/filters.ts'

/**
 * A job's plain members. Employers set them, lists show them, and columns with the same names store them. Requests and
 * responses use the same schemas for them. Schemas, queries, presenters, imports and exports derive from this record.
 */
export const plainMembers = {
  remote: Type.Boolean(),
  experience_level: Nullable(Choice(experienceLevels)),
  language: Nullable(
    LanguageTag(
      'BCP 47 tag, such as de or de-AT. Default: detected from title and description. Null in jobs from an earlier release until it is detected.',
    ),
  ),
}
const PlainMembers = Type.Object(plainMembers)
type PlainMembers = Static<typeof PlainMembers>
export type SentPlainMembers = { readonly [Name in keyof PlainMembers]?: PlainMembers[Name] | null | undefined }

/** The values of omitted members. */
const defaults: PlainMembers = { remote: false, experience_level: null, language: null }

export const plainNames = Object.keys(defaults) as (keyof PlainMembers)[]

/** Returns the plain members of a row, a request or an import line. Omitted members have their default values. */
export function plainMembersOf(source: SentPlainMembers): PlainMembers {
  const members = { ...defaults }
  const copy = <Name extends keyof PlainMembers>(name: Name) => {
    members[name] = source[name] ?? defaults[name]
  }
  for (const name of plainNames) copy(name)
  return members
}
