/** Writes CSV (RFC 4180) that spreadsheets do not interpret as formulas. */

/** Characters that start a formula in a spreadsheet. */
const FORMULA = new Set('=+-@＝＋－＠')
/** Characters after which a spreadsheet that does not use commas as separators may start another cell. */
const SEPARATORS = new Set(';\t\n\r')

/**
 * Returns the text with an apostrophe before each character that a spreadsheet could read as the start of a formula.
 * Spreadsheets then show the cell as text.
 */
function withoutFormulas(text: string): string {
  let safe = ''
  let isStart = true
  for (const character of text) {
    if (isStart && FORMULA.has(character)) safe += "'"
    safe += character
    // A quote after a separator starts a quoted cell, which may start with a formula, too.
    isStart = SEPARATORS.has(character) || (isStart && (character === '"' || character.trim() === ''))
  }
  return safe
}

/** Returns a line with a cell for each value. Null is an empty cell. */
export function csvLine(values: readonly (string | number | null)[]): string {
  const cells = values.map((value) => {
    const text = withoutFormulas(String(value ?? ''))
    return /[",\r\n;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  })
  return `${cells.join(',')}\r\n`
}
