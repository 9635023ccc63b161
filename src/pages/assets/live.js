// Shows live events. Each message of the stream contains the HTML of a list item.
const SHOWN_MAX = 200
const list = document.querySelector('[data-live]')
const state = document.querySelector('[data-live-state] .tag')
const show = (text, tone) => {
  state.textContent = text
  state.className = `tag t-${tone}`
}
const source = new EventSource(list.dataset.live)
source.addEventListener('open', () => {
  show(list.dataset.open, 'good')
  document.querySelector('[data-live-reload]').hidden = true
})
source.addEventListener('error', () => {
  const isOver = source.readyState === EventSource.CLOSED
  show(isOver ? list.dataset.over : list.dataset.connecting, isOver ? 'bad' : 'warn')
  if (isOver) document.querySelector('[data-live-reload]').hidden = false
})
source.addEventListener('message', ({ data, lastEventId }) => {
  // After a reconnection, the stream may send an event again.
  if (list.querySelector(`[data-event="${CSS.escape(lastEventId)}"]`)) return
  document.querySelector('[data-live-empty]').hidden = true
  list.insertAdjacentHTML('afterbegin', data)
  while (list.children.length > SHOWN_MAX) list.lastElementChild.remove()
})
