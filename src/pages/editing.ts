/**
 * Editing forms. Each form contains a tag of the state that it shows; saving therefore never overwrites concurrent
 * changes.
 */
import type { FastifyRequest } from 'fastify'
import { entityTag, type Precondition } from '../lib/entity-tags.ts'
import { AppError } from '../lib/errors.ts'
import { Form, type FormFields } from './forms.ts'
import { type Html, html } from './html.ts'

const FIELD = '_tag'

export const isEditor = (fields: FormFields) => fields.has(FIELD)

/** Returns a tag of the members that the form changes. Changes to other members cause no conflict. */
function stateTag(resource: object, members: readonly string[]): string {
  const values: Record<string, unknown> = { ...resource }
  return entityTag(JSON.stringify(members.map((member) => values[member] ?? null)))
}

/** Returns an editing form that changes these members of a resource. `shown` overrides the values of fields. */
export function editorForm(resource: object, members: readonly string[], shown: object = {}): Form {
  return Form.of({ ...resource, ...shown, [FIELD]: stateTag(resource, members) })
}

export function editedField(form: Form): Html {
  return html`<input type="hidden" name="${FIELD}" value="${form.value(FIELD)}">`
}

/**
 * Returns a precondition that fails if these members have changed since the form was shown. The page then shows the
 * form again, with the submitted values and a new tag. A form without a tag, such as a single button, has no
 * precondition.
 */
export function unlessChanged(request: FastifyRequest, members: readonly string[]): Precondition {
  const sent = request.form.get(FIELD)?.at(-1)
  return (current) => {
    if (sent === undefined) return
    const tag = stateTag(Object(current), members)
    if (tag === sent) return
    request.form = new Map([...request.form, [FIELD, [tag]]])
    throw new AppError('precondition_failed')
  }
}
