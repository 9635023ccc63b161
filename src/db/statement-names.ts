/** Prefix of statements that are not prepared: their values are inlined, so the same text rarely recurs. */
export const UNPREPARED = '/* unprepared */'

/** Maximum number of distinct prepared statements per connection; further statements run unprepared. */
const PREPARED_MAX = 500

/** Returns the name of a statement, or undefined if it must run unprepared. Adds new statements to the pool's names. */
export function preparedName(names: Map<string, string>, text: string): string | undefined {
  if (text.startsWith(UNPREPARED)) return undefined
  let name = names.get(text)
  if (name === undefined && names.size < PREPARED_MAX) {
    name = `q${names.size}`
    names.set(text, name)
  }
  return name
}
