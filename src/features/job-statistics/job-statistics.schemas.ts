import { type Static, Type } from 'typebox'
import { Nullable, Resource, Strict } from '../../lib/schema.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const counts = {
  views: count(
    'Number of views by candidates, plus page views by others. Excludes prefetches, and page views by the employer, by admins, and by clients whose user agent is missing or names a program.',
  ),
  saves: count('Number of candidates who currently have the job saved.'),
  applications: count('Number of applications, including withdrawn applications.'),
}

export const JobStatisticsSchema = Resource('JobStatistics', {
  job_id: Type.String(),
  ...counts,
  sources: Type.Array(Strict({ source: Nullable(Type.String()), applications: counts.applications }), {
    description: 'Applications per source, most first. `source` is null for applications without one.',
  }),
  days: Type.Array(Strict({ date: Type.String({ format: 'date' }), ...counts }), {
    description: 'The last 30 days in UTC, oldest first.',
  }),
})
export type JobStatistics = Static<typeof JobStatisticsSchema>
