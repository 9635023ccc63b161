// Sends a small form, such as Save job, without leaving the page: replaces only the form, and announces the result.
const outcome = document.createElement('p')
outcome.className = 'hide'
outcome.setAttribute('role', 'status')
document.body.append(outcome)

document.addEventListener('submit', async (event) => {
  const form = event.target.closest('form[data-in-place]')
  if (!form) return
  event.preventDefault()
  const body = new URLSearchParams(new FormData(form))
  const response = await fetch(form.action, { method: 'POST', body }).catch(() => undefined)
  const page = response?.ok ? new DOMParser().parseFromString(await response.text(), 'text/html') : undefined
  const next = page?.querySelector(`form[data-in-place="${CSS.escape(form.dataset.inPlace)}"]`)
  // If the response lacks the form, for example after a sign-out, submits the form normally. The browser then shows the
  // result.
  if (!next) return form.submit()
  form.replaceWith(next)
  next.querySelector('button').focus()
  outcome.textContent = page.querySelector('.notice .grow')?.textContent ?? ''
})
