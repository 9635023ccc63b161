// Moves, removes and adds a job's questions without sending the form. Without this script, the buttons send the form.
const builder = document.querySelector('[data-questions]')
const list = builder?.querySelector('[data-list]')
const rows = () => [...list.querySelectorAll('[data-question]')]

/** Renumbers names, IDs and labels by position. */
function renumber() {
  const all = rows()
  for (const [n, row] of all.entries()) {
    const heading = row.querySelector('[data-number]')
    heading.textContent = heading.textContent.replace(/\d+/, n + 1)
    for (const element of row.querySelectorAll('*')) {
      for (const name of ['name', 'id', 'for', 'aria-describedby']) {
        const value = element.getAttribute(name)
        if (value === null) continue
        const renamed = value
          .replace(/custom_questions\[\d+\]/g, `custom_questions[${n}]`)
          .replace(/field-custom_questions-\d+/g, `field-custom_questions-${n}`)
        if (renamed !== value) element.setAttribute(name, renamed)
      }
    }
    for (const button of row.querySelectorAll('button[name="_do"]')) {
      const action = button.value.split('-', 1)[0]
      button.value = `${action}-${n}`
      button.disabled = (action === 'up' && n === 0) || (action === 'down' && n === all.length - 1)
      button.setAttribute('aria-label', button.getAttribute('aria-label').replace(/\d+/, n + 1))
    }
  }
}

function freeId() {
  const taken = new Set(rows().map((row) => row.querySelector('[name$="[id]"]').value))
  let number = rows().length + 1
  while (taken.has(`question-${number}`)) number++
  return `question-${number}`
}

function add(pattern) {
  const id = freeId()
  const row = pattern.cloneNode(true)
  for (const field of row.querySelectorAll('input:not([type="hidden"]):not([type="checkbox"]), textarea'))
    field.value = ''
  for (const box of row.querySelectorAll('[type="checkbox"]')) box.checked = false
  for (const choice of row.querySelectorAll('select')) choice.selectedIndex = 0
  for (const fault of row.querySelectorAll('.fault')) fault.remove()
  for (const faulty of row.querySelectorAll('.wrong')) faulty.classList.remove('wrong')
  for (const faulty of row.querySelectorAll('[aria-invalid]')) faulty.removeAttribute('aria-invalid')
  row.querySelector('[name$="[id]"]').value = id
  list.append(row)
  return row
}

builder?.addEventListener('click', (event) => {
  const button = event.target.closest('button[name="_do"]')
  if (!button) return
  const row = button.closest('[data-question]')
  const action = button.value.split('-', 1)[0]
  let target = button
  if (action === 'add') {
    const last = rows().at(-1)
    // If no question exists, the server renders the first one.
    if (!last) return
    target = add(last).querySelector('[name$="[label]"]')
  } else if (action === 'remove') {
    target = (row.nextElementSibling ?? row.previousElementSibling)?.querySelector('[name$="[label]"]') ?? builder
    row.remove()
  } else if (action === 'up') row.previousElementSibling?.before(row)
  else row.nextElementSibling?.after(row)
  event.preventDefault()
  renumber()
  builder.dispatchEvent(new Event('input', { bubbles: true }))
  // A disabled button cannot keep the focus.
  if (target.disabled) target = row.querySelector('[name$="[label]"]')
  target.focus()
})
