/** Splits a text into paragraphs at blank lines, and returns each paragraph as its lines. */
export function paragraphsOf(text: string): string[][] {
  const paragraphs: string[][] = []
  let isBetween = true
  for (const line of text.split('\n')) {
    const isBlank = line.trim() === ''
    if (!isBlank && isBetween) paragraphs.push([])
    if (!isBlank) paragraphs.at(-1)!.push(line)
    isBetween = isBlank
  }
  return paragraphs
}
