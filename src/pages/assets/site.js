// Leads to what is wrong with a form that came back.
document.querySelector('[data-focus]')?.focus()
