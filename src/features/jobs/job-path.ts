/** The readable path of a job's public page: `/jobs/<slug>-<id>` (decision 0091). */
import { idPattern } from '../../lib/ids.ts'
import { fold } from '../../search/text/fold.ts'

/** Maximum length of a slug in characters: enough for most titles, and short enough for an email. */
const SLUG_MAX = 60
const ID = idPattern('job').slice(1, -1)

/** Pattern of the last segment of the path: an ID, or a slug followed by an ID. */
export const jobPathPattern = `^(?:.*-)?${ID}$`

/**
 * Returns the title in lowercase ASCII letters, digits and hyphens. Returns an empty string for a title without Latin
 * letters or digits.
 */
function slugOf(title: string): string {
  const slug = fold(title)
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return slug.length <= SLUG_MAX ? slug : cutAtWord(slug)
}

/** Cuts an overlong slug at the last hyphen within the limit or, without one, within its first word. */
function cutAtWord(slug: string): string {
  const end = slug.lastIndexOf('-', SLUG_MAX)
  return slug.slice(0, end > 0 ? end : SLUG_MAX)
}

export function jobPath({ id, title }: { id: string; title: string }): string {
  const slug = slugOf(title)
  return `/jobs/${slug === '' ? '' : `${slug}-`}${id}`
}

/** Returns the ID in the path of a job's page or of one of its forms, such as `/jobs/<id>/apply`, if any. */
export function idOfJobPath(path: string): string | undefined {
  return new RegExp(`^/jobs/(?:[^/?]*-)?(${ID})(?=[/?]|$)`).exec(path)?.[1]
}
