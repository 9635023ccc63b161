/** The readable path of a job's public page: `/jobs/<slug>-<id>`. Decision 0091 explains it. */
import { idPattern } from '../../lib/ids.ts'
import { fold } from '../../search/text/fold.ts'

/** Maximum characters of a slug: enough for most titles, and short enough for an email. */
const SLUG_MAX = 60
const ID = idPattern('job').slice(1, -1)

/** Pattern of the last part of the path: an id, or any slug before an id. */
export const jobPathPattern = `^(?:.*-)?${ID}$`

/** Returns the title in lowercase ASCII letters, digits and hyphens. Empty for titles in other scripts. */
function slugOf(title: string): string {
  const slug = fold(title)
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return slug.length <= SLUG_MAX ? slug : cutAtWord(slug)
}

/** Cuts a slug that is too long at its last hyphen, or within its only word. */
function cutAtWord(slug: string): string {
  const end = slug.lastIndexOf('-', SLUG_MAX)
  return slug.slice(0, end > 0 ? end : SLUG_MAX)
}

export function jobPath({ id, title }: { id: string; title: string }): string {
  const slug = slugOf(title)
  return `/jobs/${slug === '' ? '' : `${slug}-`}${id}`
}

/** Returns the id in the path of a job's page or of one of its forms, such as `/jobs/<id>/apply`. */
export function idOfJobPath(path: string): string | undefined {
  return new RegExp(`^/jobs/(?:[^/?]*-)?(${ID})(?=[/?]|$)`).exec(path)?.[1]
}
