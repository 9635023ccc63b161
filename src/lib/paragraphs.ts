/** Returns the paragraphs of a text, each as its lines; blank lines separate them. */
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
