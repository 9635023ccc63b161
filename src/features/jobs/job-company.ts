import type { Reader } from '../../db/database.ts'
import { firstSentenceOf } from '../../lib/markdown.ts'
import { findEmployerFacts } from '../employers/employers.sql.ts'

/** Facts about a company that are not members of its jobs. */
export interface JobCompany {
  industry: string | null
  location: string | null
  /** The domain that the employer has verified, or null. */
  verifiedDomain: string | null
  /** The first sentence of the description, or null. */
  about: string | null
}

/** Maximum length of `about` in characters: about five lines beside a job. */
const ABOUT_MAX = 200

export async function findJobCompany(reader: Reader, employerId: string): Promise<JobCompany | undefined> {
  const facts = await findEmployerFacts(reader, employerId)
  if (!facts) return undefined
  const { industry, location, description, verified_domain: verifiedDomain } = facts
  return { industry, location, verifiedDomain, about: description && firstSentenceOf(description, ABOUT_MAX) }
}
