export const LOCATIONS_MAX = 50

/** Returns all distinct locations of a job. `location` is always the first one. */
export const allLocations = (location: string, locations: readonly string[] | null | undefined): string[] =>
  locations?.length ? [...new Set([location, ...locations])] : [location]
