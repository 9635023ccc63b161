/** The type of a presented member: times become text, and all other values stay unchanged. */
type Shown<T> = T extends Date ? string : T

/** Returns these members of a row in this order, with times as RFC 3339 text. */
export function pickMembers<Row extends object, Name extends keyof Row>(row: Row, names: readonly Name[]) {
  const pairs = names.map((name) => [name, row[name] instanceof Date ? row[name].toISOString() : row[name]])
  return Object.fromEntries(pairs) as { [N in Name]: Shown<Row[N]> }
}

/** Returns the names of an object's members in order, for example a schema's properties. */
export const namesOf = <T extends object>(members: T) => Object.keys(members) as (keyof T & string)[]
