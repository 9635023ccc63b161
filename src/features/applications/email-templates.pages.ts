/** The page on which employers write their own status emails. */
import type { FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { t } from '../../locale/messages.ts'
import { editorForm, unlessChanged } from '../../pages/editing.ts'
import { Form } from '../../pages/forms.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther, signedIn } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { TemplateBody, TemplateParams, type TemplateStatus, templateMembers } from './email-templates.schemas.ts'
import { getTemplate, placeholderFaults, previewTemplate, updateTemplate } from './email-templates.service.ts'
import { EMAIL_TEMPLATES, renderEmailTemplate } from './email-templates.views.ts'

const reading = { access: { kinds: ['employer'], scope: 'applications:read' } } as const
const writing = { access: { kinds: ['employer'], scope: 'applications:write' } } as const

export function registerEmailTemplatePages(pages: App, { database }: Kit): void {
  const path = `${EMAIL_TEMPLATES}/:status`
  const statusOf = ({ params }: FastifyRequest) => (params as { status: TemplateStatus }).status
  const render = (request: FastifyRequest, form: Form, isPreview = false) => {
    const status = statusOf(request)
    const orNull = (member: string) => form.value(member).trim().replaceAll('\r\n', '\n') || null
    const template = { status, subject: orNull('subject'), text: orNull('text') }
    const preview = isPreview ? previewTemplate(template, signedIn(request).name) : undefined
    return renderEmailTemplate(request.page, { form, status, preview })
  }

  pages.get(path, { config: reading, schema: { params: TemplateParams } }, async (request) => {
    const { status } = request.params
    const template = await database.read((db) => getTemplate(db, signedIn(request).accountId, status))
    return render(request, editorForm(template, templateMembers))
  })

  pages.post(path, {
    config: { ...writing, again: (request, form) => render(request, form) },
    attachValidation: true,
    schema: { params: TemplateParams, body: TemplateBody },
    handler: async (request, reply) => {
      const { params, body, form } = request
      const faults = request.faults
      if (form.has('_preview')) {
        return render(request, Form.sent(form, [...faults, ...placeholderFaults(body)]), true)
      }
      const change = { employerId: signedIn(request).accountId, ...params, body, faults }
      const precondition = unlessChanged(request, templateMembers)
      await doOnce(request, database, (tx) => updateTemplate(tx, { ...change, precondition }))
      return seeOther(reply, `${EMAIL_TEMPLATES}/${params.status}`, t('received.template_saved'))
    },
  })
}
