import { type Static, Type } from 'typebox'
import { Strict } from '../../lib/schema.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const counts = {
  views: count('How often people looked at it; neither its owner nor programs that say what they are.'),
  saves: count('How many candidates have saved it.'),
  applications: count('How many applications came in, withdrawn ones included.'),
}

export const JobStatisticsSchema = Type.Object(
  {
    job_id: Type.String(),
    ...counts,
    days: Type.Array(Strict({ date: Type.String({ format: 'date' }), ...counts }), {
      description: 'The last 30 days in UTC, today last.',
    }),
  },
  { $id: 'JobStatistics', additionalProperties: false },
)
export type JobStatistics = Static<typeof JobStatisticsSchema>
