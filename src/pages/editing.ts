/** Editors: a form says which state of the thing it began with, so that nobody overwrites what was changed meanwhile. */
import type { FastifyRequest } from 'fastify'
import { entityTag, type Precondition } from '../lib/entity-tags.ts'
import { AppError } from '../lib/errors.ts'
import { Form, type FormFields } from './forms.ts'
import { type Html, html } from './html.ts'

const FIELD = '_tag'

/** Whether a form says which state it began with. */
export const isEditor = (fields: FormFields) => fields.has(FIELD)

/** Of what the form changes, and of no more: that a job was looked at meanwhile hinders nobody. */
function stateTag(resource: object, members: readonly string[]): string {
  const values: Record<string, unknown> = { ...resource }
  return entityTag(JSON.stringify(members.map((member) => values[member] ?? null)))
}

/** A form that begins with a resource, of which it changes these members; `shown` is what its fields say otherwise. */
export function editorForm(resource: object, members: readonly string[], shown: object = {}): Form {
  return Form.of({ ...resource, ...shown, [FIELD]: stateTag(resource, members) })
}

/** The field of an editor that goes with `unlessChanged`. */
export function editedField(form: Form): Html {
  return html`<input type="hidden" name="${FIELD}" value="${form.value(FIELD)}">`
}

/**
 * Refuses a form where these members are not any more what they were when it was shown. It comes again with what was typed,
 * and with the present state to begin with. A form without the field, such as a single button, is about no state.
 */
export function unlessChanged(request: FastifyRequest, members: readonly string[]): Precondition {
  const sent = request.form.get(FIELD)?.at(-1)
  return (current) => {
    if (sent === undefined) return
    const tag = stateTag(Object(current), members)
    if (tag === sent) return
    request.form = new Map([...request.form, [FIELD, [tag]]])
    throw new AppError('precondition_failed', {
      detail:
        'This was changed meanwhile, in another window or by somebody else. Nothing is saved yet, and what you typed is still here: save again to put it in the place of the other change.',
    })
  }
}
