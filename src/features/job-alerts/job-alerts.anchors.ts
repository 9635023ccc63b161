/** Derives alert anchors and job terms from the filter definitions. */
import type { AppliedFilter } from '../../lists/query.ts'
import { ANY, type Anchor, type AnchoredJob } from '../../search/anchors.ts'
import { type JobFilterName, jobFilter } from '../../search/filters.ts'

const anchors = (Object.entries(jobFilter) as [JobFilterName, { anchor?: Anchor }][])
  .flatMap(([name, { anchor }]) => (anchor ? [{ name, ...anchor }] : []))
  .toSorted((a, b) => a.rank - b.rank)

export const jobTerms = (job: AnchoredJob): string[] => [
  ...new Set([ANY, ...anchors.flatMap(({ terms }) => terms(job))]),
]

/** Version of the derivation. Increase it when a release derives different anchors from the same filters. */
export const ANCHORS_VERSION = 3

/**
 * Returns the anchors of these filters. Every job that matches all of the filters has at least one of these anchors as
 * a term.
 */
export function anchorsOf(filters: readonly AppliedFilter[]): string[] {
  for (const { name, wanted } of anchors) {
    for (const applied of filters) {
      const found = applied.filter === name ? wanted(applied) : undefined
      if (found) return [...new Set(found)]
    }
  }
  return [ANY]
}
