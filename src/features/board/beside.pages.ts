/** Collects the buttons that other features add to each job in a list, such as the save button. */
import type { PageContext } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import type { JobDetail } from '../jobs/index.ts'
import type { BesideJob } from './board.views.ts'

type OfferedJob = Pick<JobDetail, 'id' | 'title' | 'application_url'> & { is_active?: boolean }

/** Returns the content that a feature adds next to each job for the current visitor. */
export type OfferBeside = (page: PageContext, jobs: readonly OfferedJob[]) => Promise<BesideJob>

/** Combines the content that all features add next to each job in a list. */
export function besideListed(kit: Pick<Kit, 'collect'>): OfferBeside {
  const offers = kit.collect('besideListed')
  return async (page, jobs) => {
    const offered = await Promise.all(offers.map((offer) => offer(page, jobs)))
    return (job) => offered.map((each) => each(job))
  }
}
