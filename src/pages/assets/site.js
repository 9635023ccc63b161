// Moves the focus to the summary of a form's faults.
document.querySelector('[data-focus]')?.focus()

// Stores the reader's time zone in a cookie, so that pages can show times in this zone.
const prefix = location.protocol === 'https:' ? '__Host-' : ''
const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
// biome-ignore lint/suspicious/noDocumentCookie: Safari and Firefox before 2025 have no cookieStore.
document.cookie = `${prefix}time_zone=${timeZone};path=/;max-age=31536000;samesite=lax${prefix && ';secure'}`
