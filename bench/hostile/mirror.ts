/** Mirrors that read by page number, for which the database must count all earlier rows. */
import { type Attack, countStatuses, send } from './attack.ts'

const SINCE = '2020-01-01T00:00:00Z'

export const attacks: Attack[] = [
  {
    name: 'deep page numbers in a mirror',
    finding: 'A4',
    async run(target) {
      const at = (page: number) =>
        send(target, 'GET', `/v1/jobs?updated_since=${SINCE}&include_deleted=true&limit=100&page=${page}`, {
          key: target.keys.candidate,
        })
      const [last, ...beyond] = await Promise.all([100, 101, 5_000, 1_000_000].map(at))
      const cursor = await send(target, 'GET', `/v1/jobs?updated_since=${SINCE}&cursor=`, {
        key: target.keys.candidate,
      })
      return {
        held: last!.status === 200 && cursor.status === 200 && beyond.every(({ status }) => status === 400),
        figures: `page 100: ${last!.status}; beyond: ${countStatuses(beyond)}; cursor: ${cursor.status}`,
      }
    },
  },
]
