// Shows a preview beside a form while the user types. Without this script, and in narrow windows, a button shows the
// preview.
const PAUSE_MS = 400
const pane = document.querySelector('.preview')
const form = pane.parentElement.querySelector('form')
const button = form.querySelector('[name="_preview"]')
// Only the job form has this element, which shows notices about the location.
const placing = form.querySelector('[data-placing]')
const wide = matchMedia('(min-width: 75rem)')
let timer
let request

async function refresh() {
  request?.abort()
  request = new AbortController()
  const body = new URLSearchParams(new FormData(form, button))
  const options = { method: 'POST', body, signal: request.signal, redirect: 'error' }
  const answer = await fetch(pane.dataset.preview, options).catch(() => undefined)
  if (!answer?.ok) return
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const shown = page.querySelector('[data-preview]')
  if (!shown) return
  // Links open in another tab, because following them here would lose the unsaved form.
  for (const link of shown.querySelectorAll('a')) link.target = '_blank'
  pane.replaceChildren(...shown.childNodes)
  if (!placing) return
  const asked = page.querySelector('[data-placing]')
  // Waits until the user has left the location field, and does not interrupt a choice between towns.
  const isBusy = document.activeElement?.name === 'location' || placing.contains(document.activeElement)
  if (!isBusy && placing.innerHTML !== asked.innerHTML) placing.replaceChildren(...asked.childNodes)
}

function soon() {
  clearTimeout(timer)
  timer = setTimeout(refresh, PAUSE_MS)
}

form.addEventListener('input', () => wide.matches && soon())
form.addEventListener('change', ({ target }) => (wide.matches || (placing && target.name === 'location')) && soon())
wide.addEventListener('change', () => wide.matches && refresh())
if (wide.matches) refresh()
