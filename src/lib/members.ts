/** The type of a presented member: times become text, and all other values stay unchanged. */
type Shown<T> = T extends Date ? string : T

/** Returns these members of a row in this order, with times in RFC 3339. */
export function pickMembers<Row extends object, Name extends keyof Row>(row: Row, names: readonly Name[]) {
  const pairs = names.map((name) => [name, row[name] instanceof Date ? row[name].toISOString() : row[name]])
  return Object.fromEntries(pairs) as { [N in Name]: Shown<Row[N]> }
}

/** Returns the names of an object's members, such as the properties of a schema, in their order. */
export const namesOf = <T extends object>(members: T) => Object.keys(members) as (keyof T & string)[]
