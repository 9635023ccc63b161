// Counts the selected applicants, and selects all of a group at once.
const count = document.querySelector('[data-selected]')
const groups = [...document.querySelectorAll('[data-group]')]
  .map((group) => ({ all: group.querySelector('[data-select-all]'), picks: [...group.querySelectorAll('.pick')] }))
  .filter(({ picks }) => picks.length > 0)

function update() {
  let sum = 0
  for (const { all, picks } of groups) {
    const chosen = picks.filter(({ checked }) => checked).length
    sum += chosen
    all.checked = chosen > 0 && chosen === picks.length
    all.indeterminate = chosen > 0 && chosen < picks.length
  }
  count.textContent = sum
}

for (const { all, picks } of groups) {
  all.addEventListener('change', () => {
    for (const pick of picks) pick.checked = all.checked
    update()
  })
}

if (count) {
  document.addEventListener('change', update)
  // When the user goes back, the browser restores the checkboxes.
  addEventListener('pageshow', update)
}
