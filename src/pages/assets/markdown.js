// Formats the selected text of Markdown fields. Edits use the browser's own editing command, so that undo covers them.

/** Replaces the text from `start` to `end`, then selects the characters from `from` to `to` of the new text. */
function replace(field, start, end, text, [from, to]) {
  field.focus()
  field.setSelectionRange(start, end)
  if (!document.execCommand('insertText', false, text)) {
    field.setRangeText(text, start, end)
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
  field.setSelectionRange(start + from, start + to)
}

/** Returns the selection without leading and trailing spaces, which Markdown does not allow inside emphasis marks. */
function selectionOf({ value, selectionStart, selectionEnd }) {
  const text = value.slice(selectionStart, selectionEnd)
  const start = selectionStart + (text.trim() === '' ? 0 : text.length - text.trimStart().length)
  return { start, end: start + text.trim().length, text: text.trim() }
}

/** Adds or removes asterisks around the selection. In a selection of several lines, formats each line. */
function mark(field, marks) {
  const { start, end, text } = selectionOf(field)
  const { value } = field
  let around = 0
  while (value[start - around - 1] === '*' && value[end + around] === '*') around++
  // One or three asterisks mean italic; two or three mean bold.
  const isMarked = marks === '*' ? around % 2 === 1 : around > 1
  const { length } = marks
  if (isMarked) return replace(field, start - length, end + length, text, [0, text.length])
  const lines = text.split('\n').map((line) => {
    const bare = withoutMarker(line).trim()
    return bare === '' && text !== '' ? line : `${line.slice(0, line.lastIndexOf(bare))}${marks}${bare}${marks}`
  })
  const marked = lines.join('\n')
  replace(field, start, end, marked, lines.length === 1 ? [length, marked.length - length] : [0, marked.length])
}

/** Removes the heading or list marker at the start of a line. */
const withoutMarker = (line) => line.replace(/^(?:#{1,6} |[-*+] |\d{1,9}[.)] )/, '')

/** Turns the selected lines into list items or headings, or back. `markerOf` returns the marker for a line number. */
function prefix(field, markerOf) {
  const { value, selectionStart, selectionEnd } = field
  const start = value.lastIndexOf('\n', selectionStart - 1) + 1
  const next = value.indexOf('\n', Math.max(selectionStart, selectionEnd - 1))
  const end = next === -1 ? value.length : next
  const lines = value.slice(start, end).split('\n')
  let number = 0
  const markerIn = (line) => line.slice(0, line.length - withoutMarker(line).length)
  const wanted = lines.map((line) => (line.trim() === '' && lines.length > 1 ? '' : markerOf(++number)))
  const isUndone = lines.every((line, n) => markerIn(line) === wanted[n])
  const text = lines.map((line, n) => `${isUndone ? '' : wanted[n]}${withoutMarker(line)}`).join('\n')
  replace(field, start, end, text, [lines.length === 1 ? text.length : 0, text.length])
}

function link(field) {
  const { start, end, text } = selectionOf(field)
  if (/^https?:\/\/\S+$/.test(text)) return replace(field, start, end, `[](${text})`, [1, 1])
  const address = 'https://'
  const from = text.length + 3
  replace(field, start, end, `[${text}](${address})`, text === '' ? [1, 1] : [from, from + address.length])
}

const formats = {
  heading: (field) => prefix(field, () => '## '),
  bold: (field) => mark(field, '**'),
  italic: (field) => mark(field, '*'),
  list: (field) => prefix(field, () => '- '),
  numbers: (field) => prefix(field, (number) => `${number}. `),
  link,
}
const shortcuts = { b: 'bold', i: 'italic' }

for (const bar of document.querySelectorAll('[data-formats]')) {
  const field = document.getElementById(bar.getAttribute('aria-controls'))
  const buttons = [...bar.querySelectorAll('button')]
  // Tab reaches one button of a toolbar, and the arrow keys reach the others.
  const choose = (chosen) => {
    for (const button of buttons) button.tabIndex = button === chosen ? 0 : -1
  }
  choose(buttons[0])
  bar.addEventListener('focusin', ({ target }) => choose(target))
  bar.addEventListener('keydown', (event) => {
    const at = buttons.indexOf(document.activeElement)
    const last = buttons.length - 1
    const moves = { ArrowLeft: at === 0 ? last : at - 1, ArrowRight: at === last ? 0 : at + 1, Home: 0, End: last }
    if (!(event.key in moves)) return
    event.preventDefault()
    buttons[moves[event.key]].focus()
  })
  bar.addEventListener('click', ({ target }) => {
    const button = target.closest('button')
    if (button) formats[button.value](field)
  })
  field.addEventListener('keydown', (event) => {
    const format = shortcuts[event.key]
    if (!format || event.altKey || event.shiftKey || event.ctrlKey === event.metaKey) return
    event.preventDefault()
    formats[format](field)
  })
}
