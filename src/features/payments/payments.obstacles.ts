/** The reasons why a product would have no effect on a job (decision 0090). */
import { AppError } from '../../lib/errors.ts'
import { t } from '../../locale/messages.ts'
import { RUN_DAYS_MAX } from '../jobs/index.ts'

/** The API's texts for the reasons. Pages show the messages `payments.obstacle_…`. */
const details = {
  deleted: 'The job was deleted, so no payment is due.',
  paid_otherwise: 'Another payment for this job was made in the meantime, so this one is not due.',
  post_unused: 'This job already has a paid post that you have not used yet.',
  post_full: `This job already runs for another ${RUN_DAYS_MAX} days, which is the maximum.`,
  featured: 'This job is already featured.',
  urgent: 'This job is already urgent.',
  highlighted: 'This job is already highlighted.',
} as const

export type Obstacle = keyof typeof details

const wordsOf = (obstacle: Obstacle) =>
  ({ key: `payments.obstacle_${obstacle}`, values: { days: RUN_DAYS_MAX } }) as const

/** Returns the error for a payment that would have no effect. */
export const buysNothing = (obstacle: Obstacle): AppError =>
  new AppError('conflict', { detail: details[obstacle], words: wordsOf(obstacle) })

/** Returns the reason in the reader's language. */
export function sayObstacle(obstacle: Obstacle): string {
  const { key, values } = wordsOf(obstacle)
  return t(key, values)
}
