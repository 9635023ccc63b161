/** The formats. This file imports nothing, because the command line loads it for every command. */

/** Names of products and of file formats, which are the same in every language. */
export const formatTitles = {
  ndjson: 'NDJSON',
  greenhouse: 'Greenhouse',
  lever: 'Lever',
  ashby: 'Ashby',
  recruitee: 'Recruitee',
  smartrecruiters: 'SmartRecruiters',
  workable: 'Workable',
  personio: 'Personio',
  teamtailor: 'Teamtailor',
  bamboohr: 'BambooHR',
  indeed_xml: 'Indeed XML',
  job_posting: 'schema.org JobPosting',
} as const

export type FormatName = keyof typeof formatTitles
export const formatNames = Object.keys(formatTitles) as FormatName[]
