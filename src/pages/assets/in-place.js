// Sends a small form, such as Save job, without leaving the page: only the form changes, and its outcome is announced.
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
  // Without the form in the response, such as after a sign-out, the browser shows what happened.
  if (!next) return form.submit()
  form.replaceWith(next)
  next.querySelector('button').focus()
  outcome.textContent = page.querySelector('.notice .grow')?.textContent ?? ''
})
