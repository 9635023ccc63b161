/** The paragraphs of a text as somebody wrote it, each of lines without blank ones: blank lines stand between them. */
export function paragraphsOf(text: string): string[][] {
  const paragraphs: string[][] = [[]]
  for (const line of text.split('\n')) {
    if (line.trim() !== '') paragraphs.at(-1)!.push(line)
    else if (paragraphs.at(-1)!.length > 0) paragraphs.push([])
  }
  return paragraphs.filter((lines) => lines.length > 0)
}
