// Moves applicants between stages by dragging. Dropping a card sends the form of its "Move" menu.
const stages = [...document.querySelectorAll('[data-stage]')]
let held

for (const card of document.querySelectorAll('[data-moves]')) {
  card.draggable = true
  card.addEventListener('dragstart', (event) => {
    held = card
    card.classList.add('held')
    event.dataTransfer.effectAllowed = 'move'
    event.dataTransfer.setData('text/plain', '')
  })
  card.addEventListener('dragend', () => {
    held = undefined
    card.classList.remove('held')
    for (const stage of stages) stage.classList.remove('target')
  })
}

const takes = (stage) => held?.dataset.moves.split(' ').includes(stage.dataset.stage)

for (const stage of stages) {
  stage.addEventListener('dragover', (event) => {
    if (!takes(stage)) return
    event.preventDefault()
    stage.classList.add('target')
  })
  stage.addEventListener('dragleave', () => stage.classList.remove('target'))
  stage.addEventListener('drop', (event) => {
    if (!takes(stage)) return
    event.preventDefault()
    const form = held.querySelector('.move form')
    form.elements.status.value = stage.dataset.stage
    form.requestSubmit()
  })
}
