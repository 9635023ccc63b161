import { jsonFormat } from './json.ts'
import type { ForeignPosting, Format } from './posting.ts'
import { joinPlace, listOf, type Members, membersOf, someText, textOf, timeOf } from './values.ts'

/** Workable's public widget. A posting may have a row for each of its locations. */
export const workable: Format = {
  urlOf: (board) => `https://apply.workable.com/api/v1/widget/accounts/${encodeURIComponent(board)}?details=true`,
  ...jsonFormat((root) => merged(membersOf(root).jobs), adapt),
}

/** Merges the rows of each posting into one row with all of their locations. */
function merged(rows: unknown): unknown {
  if (!Array.isArray(rows)) return undefined
  const byCode = new Map<string, Members & { locations: unknown[] }>()
  const others: unknown[] = []
  for (const row of rows) {
    const code = textOf(membersOf(row).shortcode)
    const first = byCode.get(code)
    const locations = placesIn(membersOf(row))
    if (code === '') others.push(row)
    else if (first) first.locations.push(...locations)
    else byCode.set(code, { ...membersOf(row), locations: [...locations] })
  }
  return [...byCode.values(), ...others]
}

/** Returns the locations of a row, except the hidden ones. */
function placesIn({ locations, city, state, country }: Members): readonly unknown[] {
  const listed = listOf(locations).map(membersOf)
  if (listed.length > 0) return listed.filter(({ hidden }) => hidden !== true)
  return [{ city, region: state, country }]
}

function adapt(job: Members): ForeignPosting {
  const places = listOf(job.locations)
    .map(membersOf)
    .map(({ city, region, country }) => joinPlace(city, region, country))
  return {
    id: textOf(job.shortcode),
    title: textOf(job.title),
    locations: places,
    isRemote: job.telecommuting === true,
    description: textOf(job.description),
    type: someText(job.employment_type),
    level: someText(job.experience),
    postedAt: timeOf(job.published_on) ?? timeOf(job.created_at),
    url: someText(job.url) ?? someText(job.shortlink),
    applyUrl: someText(job.application_url) ?? someText(job.url),
  }
}
