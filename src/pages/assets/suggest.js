// Suggests titles and companies as one types; the field works without it.
const PAUSE_MS = 150

for (const field of document.querySelectorAll('[data-suggest]')) {
  const list = document.getElementById(field.getAttribute('list'))
  let timer
  let asked = ''
  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(async () => {
      const text = field.value.trim()
      if (text.length < 2 || text === asked) return
      asked = text
      const answer = await fetch(`${field.dataset.suggest}?search=${encodeURIComponent(text)}`).catch(() => undefined)
      // What was typed meanwhile has asked for itself.
      if (answer?.ok && asked === text) list.innerHTML = await answer.text()
    }, PAUSE_MS)
  })
}
