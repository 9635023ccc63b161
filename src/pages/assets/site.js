// Focuses the summary of faults of a form.
document.querySelector('[data-focus]')?.focus()
