// Asks the browser for a passkey before sending a form that needs one. Removes the form's card if the browser does not
// support passkeys.
const form = document.querySelector('[data-passkey]')
if (form && !window.PublicKeyCredential?.parseCreationOptionsFromJSON) {
  form.parentElement.remove()
  document.querySelector('[data-no-passkeys]')?.removeAttribute('hidden')
} else if (form) {
  const { credential, _csrf } = form.elements
  const fault = form.querySelector('[data-passkey-fault]')
  let isBusy = false

  const ask = (options) =>
    options.user
      ? navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isBusy) return
    isBusy = true
    fault.hidden = true
    try {
      const headers = { 'x-csrf-token': _csrf.value }
      const response = await fetch(form.dataset.passkey, { method: 'POST', headers, redirect: 'manual' })
      // If the service returns no options, sends the form without a passkey, so that the next page shows the reason.
      credential.value = response.ok ? JSON.stringify(await ask(await response.json())) : ''
      form.submit()
    } catch {
      fault.hidden = false
      isBusy = false
    }
  })
  // When the user goes back, the browser may show this page again in its old state.
  addEventListener('pageshow', () => {
    isBusy = false
  })
}
