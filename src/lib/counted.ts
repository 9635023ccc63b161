/** Returns a number with its noun, such as `1 job` or `2 jobs`. The noun must form its plural with `s`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
