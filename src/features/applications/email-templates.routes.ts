import type { App } from '../../http/app.ts'
import type { ResourceRequest } from '../../http/authenticate.ts'
import { answerPost } from '../../http/idempotency.ts'
import { found, validationFailed } from '../../lib/errors.ts'
import { Envelope, Ref } from '../../lib/schema.ts'
import type { Kit } from '../feature.ts'
import {
  EmailPreviewSchema,
  EmailTemplateSchema,
  PreviewBody,
  TemplateBody,
  TemplateParams,
  templateStatuses,
} from './email-templates.schemas.ts'
import { getTemplate, placeholderFaults, previewTemplate, updateTemplate } from './email-templates.service.ts'

export function registerEmailTemplates(app: App, { database }: Kit): void {
  const path = '/employers/email-templates/:status'
  const reading = { access: { kinds: ['employer'], scope: 'applications:read' } } as const
  const writing = { access: { kinds: ['employer'], scope: 'applications:write' } } as const
  const guard = async ({ params }: ResourceRequest<{ status: string }>) =>
    found(templateStatuses.find((status) => status === params.status))

  app.get(path, {
    config: reading,
    schema: {
      operationId: 'getEmailTemplate',
      summary: "Get the employer's own email about a new status",
      params: TemplateParams,
      response: { 200: Envelope(Ref(EmailTemplateSchema)) },
    },
    handler: async ({ actor, params }) => ({
      data: await database.read((db) => getTemplate(db, actor.accountId, params.status)),
    }),
  })

  app.put(path, {
    config: { ...writing, guard },
    attachValidation: true,
    schema: {
      operationId: 'updateEmailTemplate',
      summary: "Change the employer's own email about a new status",
      params: TemplateParams,
      body: TemplateBody,
      response: { 200: Envelope(Ref(EmailTemplateSchema)) },
    },
    handler: async ({ actor, params, body, faults, precondition }) => {
      const change = { employerId: actor.accountId, ...params, body, faults }
      return { data: await database.inTx((tx) => updateTemplate(tx, { ...change, precondition })) }
    },
  })

  app.post(`${path}/preview`, {
    config: { ...reading, guard },
    schema: {
      operationId: 'previewEmailTemplate',
      summary: 'Preview an email about a new status without saving it; absent fields use their stored values',
      params: TemplateParams,
      body: PreviewBody,
      response: { 200: Envelope(Ref(EmailPreviewSchema)) },
    },
    handler: async ({ actor, params, body }, reply) => {
      const faults = placeholderFaults(body)
      if (faults.length > 0) throw validationFailed(faults)
      return answerPost(reply, database, async (tx) => {
        const template = { ...(await getTemplate(tx, actor.accountId, params.status)), ...body }
        return { body: { data: previewTemplate(template, actor.name) } }
      })
    },
  })
}
