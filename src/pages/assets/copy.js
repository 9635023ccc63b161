// Copies the text beside a button.
for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    const text = button.parentElement.querySelector('code').textContent
    const { textContent: label } = button
    try {
      await navigator.clipboard.writeText(text)
      button.textContent = 'Copied'
    } catch {
      // The clipboard needs a secure page. Otherwise, select the text to copy by hand.
      getSelection().selectAllChildren(button.parentElement.querySelector('code'))
      button.textContent = 'Selected'
    }
    setTimeout(() => {
      button.textContent = label
    }, 2_000)
  })
}
