// Opens the blank entry at the end of a list when the entry's button is clicked. The style sheet hides the entry until
// then.
for (const entry of document.querySelectorAll('[data-new-entry]')) {
  const button = entry.nextElementSibling
  const open = () => {
    entry.dataset.open = ''
    button.remove()
  }
  if ([...entry.querySelectorAll('input, textarea')].some(({ value }) => value !== '')) {
    open()
    continue
  }
  button.hidden = false
  button.addEventListener('click', () => {
    open()
    entry.querySelector('input').focus()
  })
}
