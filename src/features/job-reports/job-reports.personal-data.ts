/** Personal data in job reports: the reports that a candidate sent. */
import type { PersonalData } from '../feature.ts'
import { presentReport } from './job-reports.present.ts'
import { anonymiseReportsBy, listReportsBy } from './job-reports.queries.ts'

export const reportsPersonalData: PersonalData = {
  name: 'job_reports',
  export: async (reader, candidateId) => (await listReportsBy(reader, candidateId)).map(presentReport),
  erase: anonymiseReportsBy,
}
