/** The kinds of workplaces. The in-memory board stores indexes into this list. */
export const workplaces = ['on_site', 'hybrid', 'remote'] as const
export type Workplace = (typeof workplaces)[number]

/** The columns that store a workplace. `remote` takes precedence. */
export interface WorkplaceColumns {
  remote: boolean
  is_hybrid: boolean
}

export const workplaceOf = ({ remote, is_hybrid }: WorkplaceColumns): Workplace =>
  remote ? 'remote' : is_hybrid ? 'hybrid' : 'on_site'

/** Returns the workplace of a job that may have `remote` instead of `workplace`. */
export const workplaceIn = ({
  workplace,
  remote,
}: {
  workplace?: Workplace | null | undefined
  remote?: boolean | null | undefined
}): Workplace => workplace ?? (remote ? 'remote' : 'on_site')
