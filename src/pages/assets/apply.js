// Applies a filter or sort order as soon as it is chosen. Without this script, and in the filter sheet on phones, a
// button applies it.
for (const form of document.querySelectorAll('form[data-apply]')) {
  form.addEventListener('change', () => {
    if (!form.matches(':target')) form.requestSubmit()
  })
}
