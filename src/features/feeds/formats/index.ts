import { ashby } from './ashby.ts'
import { bamboohr } from './bamboohr.ts'
import { greenhouse } from './greenhouse.ts'
import { indeedXml } from './indeed-xml.ts'
import { jobPosting } from './job-posting.ts'
import { lever } from './lever.ts'
import { type FormatName, formatNames, formatTitles } from './names.ts'
import { ndjson } from './ndjson.ts'
import { personio } from './personio.ts'
import type { Format } from './posting.ts'
import { recruitee } from './recruitee.ts'
import { smartrecruiters } from './smartrecruiters.ts'
import { teamtailor } from './teamtailor.ts'
import { workable } from './workable.ts'

const formats: Readonly<Record<FormatName, Format>> = {
  ndjson,
  greenhouse,
  lever,
  ashby,
  recruitee,
  smartrecruiters,
  workable,
  personio,
  teamtailor,
  bamboohr,
  indeed_xml: indeedXml,
  job_posting: jobPosting,
}

export { type FormatName, formatNames, formatTitles }

/** Formats that derive the URL of a document from the name of a board. */
export const hostedFormats = formatNames.filter((name) => formats[name].urlOf !== undefined)

export const formatOf = (name: string): Format => formats[name as FormatName]
