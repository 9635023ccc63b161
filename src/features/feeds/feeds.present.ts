import type { FeedRunTable } from '../../db/schema.ts'
import { namesOf, pickMembers } from '../../lib/members.ts'
import { type FeedRow, noCounts, type RunRow } from './feeds.queries.ts'
import { type Feed, type FeedRun, FeedSchema } from './feeds.schemas.ts'

const names = namesOf(FeedSchema.properties)

const timeOf = (time: Date | string | null) => (time === null ? null : new Date(time).toISOString())

function presentRunBriefly(row: Omit<RunRow, 'problems' | 'sample'>) {
  return {
    id: row.id,
    state: row.state,
    dry_run: row.dry_run,
    created_at: timeOf(row.created_at)!,
    started_at: timeOf(row.started_at),
    finished_at: timeOf(row.finished_at),
    // In the documented order, which jsonb does not preserve.
    counts: { ...noCounts, ...row.counts },
    held_reason: row.held_reason,
  } satisfies Omit<FeedRun, 'problems' | 'sample'>
}

export const presentRun = (row: RunRow): FeedRun => ({
  ...presentRunBriefly(row),
  problems: row.problems,
  sample: row.sample,
})

export function presentFeed(row: FeedRow): Feed {
  const last_run = row.last_run && presentRunBriefly(row.last_run)
  return pickMembers({ ...row, format: row.format as Feed['format'], state: stateOf(row), last_run }, names)
}

function stateOf({ open_states, failures }: FeedRow): Feed['state'] {
  const has = (state: FeedRunTable['state']) => open_states.includes(state)
  if (has('held')) return 'held'
  if (has('running')) return 'running'
  return failures > 0 ? 'failing' : 'idle'
}
