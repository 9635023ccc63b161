// Suggests texts below the fields of the search bar. The fields also work without this script.
const PAUSE_MS = 150

for (const field of document.querySelectorAll('[data-suggest]')) {
  const list = document.getElementById(field.getAttribute('aria-controls'))
  const status = list.nextElementSibling
  let timer
  let asked = ''
  let chosen = -1
  const options = () => [...list.children]
  const isOpen = () => !list.hidden

  const show = (isShown) => {
    if (!isShown) status.textContent = ''
    list.hidden = !isShown || options().length === 0
    field.setAttribute('aria-expanded', String(isOpen()))
    choose(-1)
  }
  const choose = (index) => {
    chosen = index
    for (const [n, option] of options().entries()) option.setAttribute('aria-selected', String(n === index))
    if (index < 0) field.removeAttribute('aria-activedescendant')
    else field.setAttribute('aria-activedescendant', options()[index].id)
  }
  const take = (option) => {
    field.value = option.textContent
    asked = field.value
    show(false)
    // Chosen words start the search immediately. A chosen location only fills in its field.
    if (field.name === 'search') field.form.requestSubmit()
  }

  field.setAttribute('role', 'combobox')
  field.setAttribute('aria-autocomplete', 'list')
  field.setAttribute('aria-expanded', 'false')

  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(async () => {
      const text = field.value.trim()
      if (text.length < 2) return show(false)
      if (text === asked) return
      asked = text
      const answer = await fetch(field.dataset.suggest + encodeURIComponent(text)).catch(() => undefined)
      // Ignores responses that later input has made obsolete.
      if (asked !== text) return
      if (!answer?.ok) {
        asked = ''
        return
      }
      list.innerHTML = await answer.text()
      const count = list.querySelector('[data-count]')
      count.remove()
      for (const [n, option] of options().entries()) option.id = `${list.id}-${n}`
      const hasFocus = document.activeElement === field
      show(hasFocus)
      if (hasFocus) status.textContent = count.textContent
    }, PAUSE_MS)
  })
  field.addEventListener('keydown', (event) => {
    const count = options().length
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (count === 0) return
      event.preventDefault()
      if (!isOpen()) return show(true)
      // The arrow keys cycle through the options and the typed text. The typed text precedes the first option.
      choose(((chosen + (event.key === 'ArrowDown' ? 2 : count + 1)) % (count + 1)) - 1)
    } else if (event.key === 'Enter' && isOpen() && chosen >= 0) {
      event.preventDefault()
      take(options()[chosen])
    } else if (event.key === 'Escape' && isOpen()) {
      event.preventDefault()
      show(false)
    }
  })
  field.addEventListener('blur', () => show(false))
  // Keeps the focus in the field when the list is clicked.
  list.addEventListener('pointerdown', (event) => event.preventDefault())
  list.addEventListener('click', (event) => {
    const option = event.target.closest('[role="option"]')
    if (option) take(option)
  })
}
