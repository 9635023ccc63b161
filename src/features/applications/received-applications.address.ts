/** The URLs of received applications, shown as a board with one column per stage or as a list. */
import { isParameterOf, parseListQuery } from '../../lists/query.ts'
import type { EmployerQuery } from './applications.queries.ts'
import { type ApplicationStatus, employerApplicationList } from './applications.schemas.ts'

export const RECEIVED = '/employer/applications'
export const MOVE_SELECTED = `${RECEIVED}/move`
export const EXPORT = `${RECEIVED}/export`

/** The stages of the board, in the order of its columns. */
export const stages = ['pending', 'reviewed', 'contacted', 'hired', 'rejected'] as const

export interface ListAddress {
  query: EmployerQuery
  /** The stage of the list. Undefined for the board, and for a list of more than one stage. */
  status: ApplicationStatus | undefined
  /**
   * Whether the URL leads to the board. Parameters that the board does not support, such as `status` or `sort`, lead to
   * the list.
   */
  isBoard: boolean
  /** Whether the URL has any parameter of the board or the list. */
  isNamed: boolean
  /** Returns a path with the list parameters of this URL, except `page` and `cursor`, and with these changes. */
  pathTo(path: string, changes?: Readonly<Record<string, string | null>>): string
}

/** Parses a URL. If a parameter is invalid, ignores all parameters. */
export function readAddress(url: string, cursorSecret: Uint8Array): ListAddress {
  const sent = [...new URLSearchParams(url.split(/\?(.*)/s, 2)[1] ?? '')]
  const given = Object.fromEntries(sent.filter(([, value]) => value !== ''))
  const isAll = given.view === 'list'
  const { cursor: _cursor, ...known } = Object.fromEntries(
    Object.entries(given).filter(([name]) => isParameterOf(employerApplicationList, name)),
  )
  const { query, faults } = parseListQuery(employerApplicationList, known, cursorSecret)
  if (faults.length > 0) return readAddress(RECEIVED, cursorSecret)
  const names = Object.keys(known)
  const { page: _page, ...kept } = { ...known, ...(isAll && { view: 'list' }) } as Record<string, string>
  return {
    query,
    status: query.applied.status as ApplicationStatus | undefined,
    isBoard: !isAll && names.every((name) => /^(?:job_id|applied_at|rating|source|tags)/.test(name)),
    isNamed: isAll || names.length > 0,
    pathTo(path, changes = {}) {
      const parameters = Object.entries({ ...kept, ...changes }).filter(([, value]) => value !== null && value !== '')
      return parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters as [string, string][])}`
    },
  }
}
