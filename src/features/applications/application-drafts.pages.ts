import type { App } from '../../http/app.ts'
import { t } from '../../locale/messages.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther, signedIn } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { deleteDraft } from './application-drafts.queries.ts'
import { JobParams } from './applications.routes.ts'

export function registerDiscarding(pages: App, { database }: Kit): void {
  pages.post('/jobs/:id/apply/discard', {
    config: { access: { kinds: ['candidate'], scope: 'applications:write' } },
    schema: { params: JobParams },
    handler: async (request, reply) => {
      await doOnce(request, database, (tx) => deleteDraft(tx, signedIn(request).accountId, request.params.id))
      return seeOther(reply, '/me/applications', t('applications.draft_discarded'))
    },
  })
}
