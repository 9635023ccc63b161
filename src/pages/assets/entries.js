// Keeps the empty entry at the end of a list folded up until it is wanted.
for (const entry of document.querySelectorAll('[data-new-entry]')) {
  const isBlank = [...entry.querySelectorAll('input, textarea')].every(({ value }) => value === '')
  if (!isBlank) continue
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'button secondary'
  button.textContent = `Add ${entry.querySelector('legend').textContent.toLowerCase()}`
  button.addEventListener('click', () => {
    entry.hidden = false
    button.remove()
    entry.querySelector('input').focus()
  })
  entry.hidden = true
  entry.after(button)
}
