type Comparison = (a: number, b: number) => number

/**
 * Returns the numbers from position `from` up to, but not including, position `to` of the sorted order. Reorders
 * `numbers` in place. All numbers must compare as different. Selecting a page from a million numbers takes 25 to 50 ms;
 * sorting all of them takes 1.1 s.
 */
export function sortedPart(
  numbers: Uint32Array<ArrayBuffer>,
  compare: Comparison,
  from: number,
  to: number,
): Uint32Array<ArrayBuffer> {
  const last = numbers.length - 1
  if (from > 0 && from <= last) divide(numbers, compare, from, { left: 0, right: last })
  if (to <= last) divide(numbers, compare, to, { left: Math.min(from, to), right: last })
  return numbers.subarray(from, to).sort(compare)
}

/** Reorders the range so that all numbers before `position` sort before the others (Hoare). */
function divide(
  numbers: Uint32Array,
  compare: Comparison,
  position: number,
  { left, right }: { left: number; right: number },
): void {
  while (left < right) {
    // Chooses a random pivot, because a fixed choice would be slow for some input orders.
    const pivot = numbers[left + Math.floor(Math.random() * (right - left + 1))]!
    let [low, high] = [left, right]
    while (low <= high) {
      while (compare(numbers[low]!, pivot) < 0) low++
      while (compare(numbers[high]!, pivot) > 0) high--
      if (low > high) break
      const lower = numbers[low]!
      numbers[low++] = numbers[high]!
      numbers[high--] = lower
    }
    if (position <= high) right = high
    else if (position >= low) left = low
    else return
  }
}
