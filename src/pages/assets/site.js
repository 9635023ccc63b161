// Focuses a form's fault summary.
document.querySelector('[data-focus]')?.focus()
