// Applies a choice of filters or order at once. Without this script, and in a sheet on phones, a button applies them.
for (const form of document.querySelectorAll('form[data-apply]')) {
  form.addEventListener('change', () => {
    if (!form.matches(':target')) form.requestSubmit()
  })
}
