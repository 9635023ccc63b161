// Uploads a resume as soon as it is chosen or dropped, and shows the text that was recognized in it. Without this
// script, the form sends the file.
const AGAIN_MS = 2_000
const ASKS_MAX = 30

const outcome = document.createElement('p')
outcome.className = 'hide'
outcome.setAttribute('role', 'status')
document.body.append(outcome)

const areaOf = ({ target }) => target.closest?.('[data-drop]')
/** The form of the current upload, and whether to send the form when the upload ends. */
let uploading

async function load() {
  const answer = await fetch(location.pathname + location.search).catch(() => undefined)
  return answer?.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : undefined
}

function show(area, { isBusy = false, fault = '' }) {
  area.querySelector('[data-progress]').hidden = !isBusy
  area.querySelector('input').disabled = isBusy
  const said = area.querySelector('[data-fault]')
  said.hidden = fault === ''
  said.textContent = fault
}

function send(area, file) {
  const input = area.querySelector('input')
  const { bytesMax, tooLarge } = input.dataset
  if (file.size > Number(bytesMax)) return show(area, { fault: tooLarge })
  const form = area.closest('form')
  const body = new FormData()
  body.append('_csrf', form.querySelector('[name="_csrf"]').value)
  body.append('file', file)
  const bar = area.querySelector('progress')
  const request = new XMLHttpRequest()
  request.open('POST', area.dataset.drop)
  request.responseType = 'document'
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    bar.value = loaded / total
  })
  request.addEventListener('loadend', async () => {
    const { response, status, responseURL } = request
    const isWaiting = uploading?.isWaiting
    uploading = undefined
    const isDone = status === 200 && responseURL.endsWith(area.dataset.drop)
    const page = isDone ? (area.dataset.drop === location.pathname ? response : await load()) : undefined
    const next = page?.querySelector('[data-resumes]')
    if (!next) {
      input.value = ''
      return show(area, { fault: response?.querySelector('.faults li')?.textContent ?? area.dataset.failed })
    }
    const part = area.closest('[data-resumes]')
    // Does not move the focus if the reader has moved to another field.
    const hasFocus = document.activeElement === document.body || part.contains(document.activeElement)
    part.replaceWith(next)
    outcome.textContent = response.querySelector('.notice .grow')?.textContent ?? ''
    if (isWaiting) return form.requestSubmit()
    if (hasFocus) next.querySelector('input[type="radio"]:checked, input[type="file"]')?.focus()
    awaitText()
  })
  show(area, { isBusy: true })
  outcome.textContent = area.querySelector('[data-progress] p').textContent
  uploading = { form, isWaiting: false }
  request.send(body)
}

/** Counts the calls of `awaitText`. */
let awaits = 0

/**
 * Polls, up to `ASKS_MAX` times, until the service has extracted the text of the default resume. The next call, after
 * another upload, takes over.
 */
async function awaitText() {
  const own = ++awaits
  for (let asks = 0; asks < ASKS_MAX; asks++) {
    const pending = document.querySelector('[data-recognized="pending"]')
    if (!pending) return
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    if (own !== awaits) return
    const read = (await load())?.querySelector('[data-recognized]')
    if (!read || read.dataset.recognized === 'pending' || !pending.isConnected) continue
    read.querySelector('details')?.setAttribute('open', '')
    pending.replaceWith(read)
    outcome.textContent = read.querySelector('summary, p')?.textContent ?? ''
  }
}

// Without these listeners, the browser would open a file that is dropped outside the area.
document.addEventListener('dragover', (event) => {
  if (!event.dataTransfer.types.includes('Files')) return
  event.preventDefault()
  const area = areaOf(event)
  if (area) area.classList.add('over')
  else event.dataTransfer.dropEffect = 'none'
})
document.addEventListener('dragleave', (event) => areaOf(event)?.classList.remove('over'))
document.addEventListener('drop', (event) => {
  const area = areaOf(event)
  if (!event.dataTransfer.types.includes('Files')) return
  event.preventDefault()
  if (!area) return
  area.classList.remove('over')
  const [file] = event.dataTransfer.files
  if (file && !uploading) send(area, file)
})
document.addEventListener('change', (event) => {
  const area = areaOf(event)
  const [file] = (area && event.target.files) ?? []
  if (file && !uploading) send(area, file)
})
// Delays sending the form until the upload ends, because the form must refer to the uploaded resume.
document.addEventListener('submit', (event) => {
  if (uploading?.form !== event.target) return
  event.preventDefault()
  uploading.isWaiting = true
})
awaitText()
