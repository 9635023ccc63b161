import { ashby } from './ashby.ts'
import { greenhouse } from './greenhouse.ts'
import { indeedXml } from './indeed-xml.ts'
import { lever } from './lever.ts'
import { ndjson } from './ndjson.ts'
import { personio } from './personio.ts'
import type { Format } from './posting.ts'
import { recruitee } from './recruitee.ts'
import { teamtailor } from './teamtailor.ts'
import { workable } from './workable.ts'

/** Every format by the name that a feed gives. */
export const formats = {
  ndjson,
  greenhouse,
  lever,
  ashby,
  recruitee,
  workable,
  personio,
  teamtailor,
  indeed_xml: indeedXml,
} as const satisfies Record<string, Format>

export type FormatName = keyof typeof formats
export const formatNames = Object.keys(formats) as FormatName[]

/** Formats whose documents are at the host of the format. */
export const hostedFormats = formatNames.filter((name) => 'urlOf' in formats[name])

export const formatOf = (name: string): Format => formats[name as FormatName]
