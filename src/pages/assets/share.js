// Shares or copies the URL of a page.
const share = document.querySelector('[data-share]')
if (share && navigator.share) {
  share.hidden = false
  // Ignores the error that occurs if the reader closes the browser's dialog.
  share.addEventListener('click', () =>
    navigator.share({ title: share.dataset.title, url: share.dataset.share }).catch(() => {}),
  )
}
const copy = document.querySelector('[data-copy-link]')
if (copy && navigator.clipboard) {
  copy.hidden = false
  const label = copy.querySelector('span')
  const { textContent } = label
  // This element is outside the button, because screen readers do not announce changes to part of a button.
  const status = copy.nextElementSibling
  copy.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(copy.dataset.copyLink)
    } catch {
      // The browser denies access to the clipboard. The address bar still contains the URL.
      return
    }
    label.textContent = copy.dataset.copied
    status.textContent = copy.dataset.copied
    setTimeout(() => {
      label.textContent = textContent
      status.textContent = ''
    }, 2_000)
  })
}
