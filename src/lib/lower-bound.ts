/** Returns the first index for which `isBefore` is false, or `length` if there is none. Uses binary search. */
export function lowerBound(length: number, isBefore: (index: number) => boolean): number {
  let [from, to] = [0, length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (isBefore(middle)) from = middle + 1
    else to = middle
  }
  return from
}
