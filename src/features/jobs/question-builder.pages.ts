/** The question editor without scripts: each button submits the form, and the response contains the changed form. */
import type { FieldValue, FormFields } from '../../pages/forms.ts'

/** Matches the field name of a question's member, or of one item in a list member. */
const MEMBER = /^custom_questions\[(\d+)\]\[(\w+(?:\]\[\d+)?)\](?:\[\])?$/

/**
 * Applies a button such as `add`, `up-2`, `down-2` or `remove-2` to the editor's fields and renumbers the questions.
 * Returns undefined for any other button.
 */
export function changeQuestions(fields: FormFields, asked: string): FormFields | undefined {
  const [, action, index] = /^(add|up|down|remove)(?:-(\d{1,3}))?$/.exec(asked) ?? []
  if (action === undefined) return undefined
  const rest = new Map<string, readonly FieldValue[]>()
  const byNumber = new Map<number, Map<string, readonly FieldValue[]>>()
  for (const [name, values] of fields) {
    const [, number, member] = MEMBER.exec(name) ?? []
    if (number === undefined) rest.set(name, values)
    else byNumber.set(Number(number), (byNumber.get(Number(number)) ?? new Map()).set(member!, values))
  }
  const questions = [...byNumber].sort(([a], [b]) => a - b).map(([, question]) => question)
  const at = [...byNumber.keys()].sort((a, b) => a - b).indexOf(Number(index))
  if (action === 'add') questions.push(new Map([['id', [freeId(questions)]]]))
  else if (at >= 0) {
    const [moved] = questions.splice(at, 1)
    if (action !== 'remove') questions.splice(Math.max(0, at + (action === 'up' ? -1 : 1)), 0, moved!)
  }
  for (const [number, question] of questions.entries()) {
    for (const [member, values] of question) rest.set(`custom_questions[${number}][${member}]`, values)
  }
  return rest
}

/** Returns an unused question ID. Answers refer to the ID, so it must not depend on the position of the question. */
function freeId(questions: readonly ReadonlyMap<string, readonly FieldValue[]>[]): string {
  const taken = new Set(questions.map((question) => question.get('id')?.at(-1)))
  let number = questions.length + 1
  while (taken.has(`question-${number}`)) number++
  return `question-${number}`
}
