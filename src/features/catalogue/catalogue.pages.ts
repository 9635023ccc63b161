/** Admin pages for listing, adding, renaming, reordering and removing catalog entries. */
import type { FastifyRequest } from 'fastify'
import type { Database, Tx } from '../../db/database.ts'
import type { App } from '../../http/app.ts'
import { found } from '../../lib/errors.ts'
import type { Clock } from '../../lib/time.ts'
import { t } from '../../locale/messages.ts'
import { Form } from '../../pages/forms.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther, signedIn } from '../../pages/page.ts'
import { withCounts } from './catalogue.names.ts'
import { type CatalogueKind, EntryBody, EntryNameBody, EntryParams, KindParams, MoveBody } from './catalogue.schemas.ts'
import type { LiveCatalogue } from './catalogue.service.ts'
import { renderCatalogue, renderRenaming } from './catalogue.views.ts'

interface CataloguePagesDeps {
  database: Pick<Database, 'inTx'>
  clock: Clock
  catalogue: LiveCatalogue
  /** Returns the number of jobs on the board per category or per job type. */
  countBy: (facet: 'category' | 'job_type') => Promise<{ slug: string; job_count: number }[]>
}

export function registerCataloguePages(pages: App, { database, clock, catalogue, countBy }: CataloguePagesDeps): void {
  const reading = { access: { kinds: ['admin'], scope: 'admin:read' } } as const
  const writing = { access: { kinds: ['admin'], scope: 'admin:write' } } as const
  const pathOf = (kind: CatalogueKind) => (kind === 'category' ? '/desk/catalogue' : '/desk/catalogue/type')
  const offered = (kind: CatalogueKind) => (kind === 'category' ? catalogue.categories : catalogue.types)

  const show = async (request: FastifyRequest, kind: CatalogueKind, form: Form = Form.of()) => {
    await catalogue.refresh()
    const known = offered(kind)
    const counted = withCounts(known, await countBy(kind === 'category' ? 'category' : 'job_type'))
    return renderCatalogue(request.page, {
      kind,
      offered: counted.slice(0, known.length),
      others: counted.slice(known.length),
      form,
    })
  }
  const changeBy = (request: FastifyRequest) => ({
    inTx: (work: (tx: Tx) => Promise<void>) => doOnce(request, database, work),
    actor: signedIn(request),
    now: clock.now(),
  })
  const kindOf = (request: FastifyRequest) => (request.params as { kind: CatalogueKind }).kind

  pages.get('/desk/catalogue', { config: reading }, (request) => show(request, 'category'))

  pages.get('/desk/catalogue/:kind', { config: reading, schema: { params: KindParams } }, (request) =>
    show(request, request.params.kind),
  )

  pages.post('/desk/catalogue/:kind', {
    config: { ...writing, again: (request, form) => show(request, kindOf(request), form) },
    schema: { params: KindParams, body: EntryBody },
    handler: async (request, reply) => {
      const { kind } = request.params
      await catalogue.add({ ...changeBy(request), kind }, request.body)
      return seeOther(reply, pathOf(kind), t('catalogue.added', { name: request.body.name }))
    },
  })

  const renaming = (request: FastifyRequest, form?: Form) => {
    const { kind, slug } = request.params as { kind: CatalogueKind; slug: string }
    const entry = found(offered(kind).find((known) => known.slug === slug))
    return renderRenaming(request.page, { kind, entry, back: pathOf(kind), form: form ?? Form.of(entry) })
  }

  pages.get('/desk/catalogue/:kind/:slug', { config: writing, schema: { params: EntryParams } }, (request) =>
    renaming(request),
  )

  pages.post(
    '/desk/catalogue/:kind/:slug',
    { config: { ...writing, again: renaming }, schema: { params: EntryParams, body: EntryNameBody } },
    async (request, reply) => {
      const { kind, slug } = request.params
      await catalogue.rename({ ...changeBy(request), kind, slug }, request.body.name)
      return seeOther(reply, pathOf(kind), t('catalogue.renamed', { name: request.body.name }))
    },
  )

  pages.post(
    '/desk/catalogue/:kind/:slug/move',
    { config: writing, schema: { params: EntryParams, body: MoveBody } },
    async (request, reply) => {
      const { kind, slug } = request.params
      await catalogue.move({ ...changeBy(request), kind, slug }, request.body.direction)
      return seeOther(reply, pathOf(kind))
    },
  )

  pages.post(
    '/desk/catalogue/:kind/:slug/remove',
    { config: writing, schema: { params: EntryParams } },
    async (request, reply) => {
      const { kind, slug } = request.params
      await catalogue.remove({ ...changeBy(request), kind, slug })
      return seeOther(reply, pathOf(kind), t('catalogue.removed'))
    },
  )
}
