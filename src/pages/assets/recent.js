// Stores the most recently viewed jobs and the last search, in this browser only. Shows them on the home page.
const KEY = 'recent'
const JOBS_MAX = 6

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {}
  } catch {
    return {}
  }
}

function write(recent) {
  try {
    localStorage.setItem(KEY, JSON.stringify(recent))
  } catch {
    // If the browser refuses to store data, the home page shows no recent jobs.
  }
}

const recent = read()
const jobs = Array.isArray(recent.jobs) ? recent.jobs : []
const list = document.querySelector('[data-recent]')
const asked = document.querySelector('.asked')
const { search } = location
// Removes the language, such as /de: without it, the path opens in the reader's current language.
const pathname = location.pathname.replace(/^\/[a-z]{2}(?=\/)/, '')

if (list) {
  const links = [recent.search, ...jobs].filter((stored) => /^\/jobs\b/.test(stored?.path))
  for (const { path, text } of links) {
    const link = document.createElement('a')
    link.className = 'tile-link'
    link.href = path
    link.textContent = text
    const item = document.createElement('li')
    item.append(link)
    list.querySelector('ul').append(item)
  }
  list.hidden = links.length === 0
  list.querySelector('button').addEventListener('click', () => {
    write({})
    list.hidden = true
  })
} else if (asked) {
  if (search !== '') write({ jobs, search: { path: pathname + search, text: asked.dataset.last } })
} else {
  const text = document.querySelector('meta[property="og:title"]')?.content
  const others = jobs.filter((stored) => stored?.path !== pathname)
  if (text) write({ ...recent, jobs: [{ path: pathname, text }, ...others].slice(0, JOBS_MAX) })
}
