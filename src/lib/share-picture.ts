/** The content and URL of a picture for shared links. The URL contains a hash of the content (decision 0096). */
import { hash } from 'node:crypto'
import type { Brand } from './brand.ts'
import { remembering } from './remember.ts'

/** Increase this number with every change to the drawing, so that caches fetch the pictures again. */
const DRAWING = 3

export const SHARE_WIDTH = 1_200
export const SHARE_HEIGHT = 630

export interface ShareContent {
  /** Path below `/share`, such as `jobs/job_…`. */
  of: string
  /** The text in the largest font: a job's title, or the name of a company or of the board. */
  title: string
  /** The company, if the title is not its name. */
  company: string | null
  /** A location or another short line. */
  line: string | null
  /** File name of the company's uploaded logo: a hash of the file, with an extension. */
  logo: string | null
  brand: Pick<Brand, 'name' | 'accentColor' | 'logo'>
}

const fileOf = (url: string | null) => url?.match(/\/pictures\/([0-9a-f]{32}\.webp)$/)?.[1] ?? null

interface SharedJob {
  id: string
  title: string
  company: string
  location: string
  company_logo_url: string | null
}

export function sharedJob({ id, title, company, location, company_logo_url }: SharedJob, brand: Brand): ShareContent {
  return { of: `jobs/${id}`, title, company, line: location, logo: fileOf(company_logo_url), brand }
}

interface SharedCompany {
  id: string
  name: string
  industry: string | null
  location: string | null
  logo_url: string | null
}

export function sharedCompany({ id, name, industry, location, logo_url }: SharedCompany, brand: Brand): ShareContent {
  const line = [industry, location].filter((text) => text !== null).join(', ')
  return { of: `companies/${id}`, title: name, company: null, line: line || null, logo: fileOf(logo_url), brand }
}

/**
 * Returns the content of the board's own picture. `tagline` is in the reader's language, so the board has a picture per
 * language.
 */
export function sharedBoard(brand: Brand, tagline: string | null): ShareContent {
  return { of: 'board', title: brand.name, company: null, line: tagline, logo: null, brand }
}

/** Caches the digests, because all lists of jobs share the board's picture. */
const digests = remembering<string>()

/** Returns the path of the picture. The path changes whenever the picture's content does. */
export function sharePath(content: ShareContent): string {
  const { of, title, company, line, logo, brand } = content
  const shown = [DRAWING, title, company, line, logo, brand.name, brand.accentColor, brand.logo?.path]
  const text = JSON.stringify(shown)
  return `/share/${of}/${digests(text, () => hash('sha256', text).slice(0, 32))}.png`
}
