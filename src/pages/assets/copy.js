// Copies the text next to a button.
for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    const text = button.parentElement.querySelector('code').textContent
    const { textContent: label } = button
    try {
      await navigator.clipboard.writeText(text)
      button.textContent = button.dataset.copied
    } catch {
      // Only secure pages can use the clipboard. On other pages, selects the text for manual copying.
      getSelection().selectAllChildren(button.parentElement.querySelector('code'))
      button.textContent = button.dataset.selected
    }
    setTimeout(() => {
      button.textContent = label
    }, 2_000)
  })
}
