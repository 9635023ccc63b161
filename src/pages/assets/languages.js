// Shows every example in the language that the reader chose, on this page and later pages.
const tabs = [...document.querySelectorAll('.in-languages > input')]
function choose(language) {
  for (const tab of tabs) if (tab.value === language) tab.checked = true
}
try {
  choose(localStorage.getItem('example-language'))
} catch {
  // The browser stores nothing for this page.
}
for (const tab of tabs) {
  tab.addEventListener('change', () => {
    const { top } = tab.parentElement.getBoundingClientRect()
    choose(tab.value)
    // Keeps this example in place, because the examples above may have changed in length.
    scrollBy({ top: tab.parentElement.getBoundingClientRect().top - top, behavior: 'instant' })
    try {
      localStorage.setItem('example-language', tab.value)
    } catch {}
  })
}
