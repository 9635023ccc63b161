/** The names of the formats. Imports nothing, because the command line loads it for every command. */
export const formatNames = [
  'ndjson',
  'greenhouse',
  'lever',
  'ashby',
  'recruitee',
  'smartrecruiters',
  'workable',
  'personio',
  'teamtailor',
  'bamboohr',
  'indeed_xml',
  'job_posting',
] as const

export type FormatName = (typeof formatNames)[number]
