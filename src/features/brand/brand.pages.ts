/** The legal pages, the board's icons and manifest, and the admin pages for editing the brand. */
import type { FastifyRequest } from 'fastify'
import type { App } from '../../http/app.ts'
import { readUpload, UPLOAD_BYTES_MAX } from '../../http/upload.ts'
import { DEFAULT_COLOR, drawIcon } from '../../lib/brand.ts'
import { type Precondition, unconditionally } from '../../lib/entity-tags.ts'
import { AppError, found, validationFailed } from '../../lib/errors.ts'
import { documentText, MARKDOWN_TYPE, plainText } from '../../lib/markdown-text.ts'
import { t } from '../../locale/messages.ts'
import { editorForm, unlessChanged } from '../../pages/editing.ts'
import { decimalText, emptyFaults, Form, fieldFault } from '../../pages/forms.ts'
import { doOnce, resultOnce } from '../../pages/once.ts'
import { seeOther } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { reportingFile } from '../resumes/index.ts'
import { boardIcon, boardIcons } from './brand.icons.ts'
import { presentBoard, presentPage } from './brand.present.ts'
import { boardSettings } from './brand.routes.ts'
import {
  BoardBody,
  BoardPageBody,
  BoardPageParams,
  isCommonPage,
  LegalPageParams,
  LOGO_BYTES_MAX,
  NewPageBody,
  writableBoardMembers,
  writablePageMembers,
} from './brand.schemas.ts'
import { deletePage, encodeBoardLogo, putPage, setLogo, updateBoard } from './brand.service.ts'
import { renderBoardSettings, renderLegalPage, renderNewPage, renderPageEditor } from './brand.views.ts'

const reading = { access: { kinds: ['admin'], scope: 'admin:read' } } as const
const writing = { access: { kinds: ['admin'], scope: 'admin:write' } } as const
const HOME = '/desk/board'

export function registerBrandPages(pages: App, kit: Kit): void {
  registerPublicPages(pages, kit)
  registerSettings(pages, kit)
  registerPageEditor(pages, kit)
  registerNewPage(pages, kit)
}

function registerPublicPages(pages: App, { brand }: Kit): void {
  pages.get(
    '/pages/:slug',
    { config: { access: 'public' }, schema: { params: LegalPageParams } },
    async (request, reply) => {
      const slug = request.params.slug.replace(/\.md$/, '')
      const page = found(brand.page(slug))
      if (slug !== request.params.slug) {
        return reply.type(MARKDOWN_TYPE).send(documentText([`# ${plainText(page.title)}`, page.text]))
      }
      return renderLegalPage(request.page, presentPage(page))
    },
  )

  pages.get('/icon.svg', { config: { access: 'public' } }, async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=3600').type('image/svg+xml').send(drawIcon(brand.now())),
  )

  for (const [path, side] of Object.entries(boardIcons)) {
    pages.get(path, { config: { access: 'public' } }, async (_request, reply) => {
      const bytes = await boardIcon(brand.now(), side)
      return reply.header('cache-control', 'public, max-age=3600').type('image/png').send(bytes)
    })
  }

  pages.get('/site.webmanifest', { config: { access: 'public' } }, async (_request, reply) => {
    const { name, description, accentColor } = brand.now()
    const manifest = {
      name,
      description: description ?? undefined,
      start_url: '/',
      display: 'browser',
      theme_color: accentColor ?? DEFAULT_COLOR,
      icons: [
        { src: '/icon.svg', sizes: 'any', type: 'image/svg+xml' },
        ...Object.entries(boardIcons).map(([src, side]) => ({ src, sizes: `${side}x${side}`, type: 'image/png' })),
      ],
    }
    return reply.type('application/manifest+json').send(JSON.stringify(manifest))
  })
}

function registerSettings(pages: App, kit: Kit): void {
  const { database, clock, brand } = kit
  const settings = boardSettings(kit)
  const render = (request: FastifyRequest, form: Form) =>
    renderBoardSettings(request.page, { form, pages: presentBoard(brand.now(), settings).legal })

  pages.get(HOME, { config: reading }, async (request) => {
    // Refreshes the settings, because another process may have just changed them.
    await brand.refresh()
    const board = presentBoard(brand.now(), settings)
    const shown = {
      accent_color: board.accent_color ?? DEFAULT_COLOR,
      vat_rate: board.vat_rate === null ? null : decimalText(String(board.vat_rate)),
    }
    return render(request, editorForm(board, writableBoardMembers, shown))
  })

  pages.post(HOME, {
    bodyLimit: UPLOAD_BYTES_MAX,
    config: { ...writing, again: render },
    attachValidation: true,
    schema: { body: BoardBody },
    handler: async (request, reply) => {
      const { actor, body } = request
      const faults = [...request.faults, ...emptyFaults(request.form, ['name'])]
      const precondition = unlessChanged(request, writableBoardMembers)
      const logo = await logoOfForm(request)
      const change = { actor, settings, now: clock.now() }
      await doOnce(request, database, async (tx) => {
        await updateBoard(tx, { ...change, body, faults, precondition })
        if (logo) await setLogo(tx, logo, { ...change, precondition: unconditionally })
      })
      await brand.refresh()
      return seeOther(reply, HOME, t('brand.saved'))
    },
  })

  pages.post(`${HOME}/logo/remove`, { config: writing }, async (request, reply) => {
    const change = { actor: request.actor, settings, precondition: unconditionally, now: clock.now() }
    await doOnce(request, database, (tx) => setLogo(tx, undefined, change))
    await brand.refresh()
    return seeOther(reply, HOME, t('brand.logo_removed'))
  })
}

/** Returns the encoded logo from the settings form, if one was chosen. */
async function logoOfForm({ form, actor }: FastifyRequest): Promise<{ type: string; bytes: Buffer } | undefined> {
  const file = form.get('_logo')?.at(-1)
  if (!(file instanceof File) || (file.name === '' && file.size === 0)) return undefined
  return reportingFile('_logo', async () => {
    const { bytes } = await readUpload({ body: { file }, headers: {} }, LOGO_BYTES_MAX)
    return encodeBoardLogo(bytes, { account: actor.accountId, declared: '', pointer: '#/_logo' })
  })
}

function registerPageEditor(pages: App, { database, clock, brand }: Kit): void {
  const path = `${HOME}/pages/:slug`
  const slugOf = ({ params }: FastifyRequest) => (params as { slug: string }).slug
  /** Returns the page, or undefined for a common page that has not been written yet. */
  const findStored = (slug: string) => {
    const stored = brand.page(slug)
    if (!stored && !isCommonPage(slug)) throw new AppError('not_found')
    return stored && presentPage(stored)
  }
  const render = (request: FastifyRequest, form: Form, isPreview = false) => {
    const slug = slugOf(request)
    return renderPageEditor(request.page, { slug, stored: findStored(slug), form, isPreview })
  }

  pages.get(path, { config: reading, schema: { params: BoardPageParams } }, async (request) => {
    await brand.refresh()
    const { slug } = request.params
    const stored = findStored(slug)
    const suggested = isCommonPage(slug) ? { title: t(`brand.page_${slug}`), language: request.page.language } : {}
    return render(request, editorForm(stored ?? {}, writablePageMembers, stored ? {} : suggested))
  })

  pages.post(path, {
    config: { ...writing, again: (request, form) => render(request, form) },
    attachValidation: true,
    schema: { params: BoardPageParams, body: BoardPageBody },
    handler: async (request, reply) => {
      const { actor, params, body, form } = request
      findStored(params.slug)
      const faults = [...request.faults, ...emptyFaults(form, writablePageMembers)]
      if (form.has('_preview')) return render(request, Form.sent(form, faults), true)
      const precondition = unlessChanged(request, writablePageMembers)
      const { title } = await resultOnce(request, database, async (tx) =>
        presentPage(await putPage(tx, { actor, ...params, body, faults, precondition, now: clock.now() })),
      )
      await brand.refresh()
      return seeOther(reply, HOME, t('brand.page_published', { title }))
    },
  })

  pages.post(`${path}/delete`, { config: writing, schema: { params: BoardPageParams } }, async (request, reply) => {
    const { actor, params } = request
    await doOnce(request, database, (tx) =>
      deletePage(tx, { actor, ...params, precondition: unconditionally, now: clock.now() }),
    )
    await brand.refresh()
    return seeOther(reply, HOME, t('brand.page_deleted'))
  })
}

function registerNewPage(pages: App, { database, clock, brand }: Kit): void {
  const path = `${HOME}/new-page`
  const isNew: Precondition = (current) => {
    if (current === null) return
    throw validationFailed([fieldFault('slug', t('brand.address_taken'), 'not_unique')])
  }

  pages.get(path, { config: writing }, (request) =>
    renderNewPage(request.page, Form.of({ language: request.page.language }), false),
  )

  pages.post(path, {
    config: { ...writing, again: (request, form) => renderNewPage(request.page, form, false) },
    attachValidation: true,
    schema: { body: NewPageBody },
    handler: async (request, reply) => {
      const { actor, form } = request
      const faults = request.faults
      if (form.has('_preview')) return renderNewPage(request.page, Form.sent(form, faults), true)
      if (faults.length > 0) throw validationFailed(faults)
      const { slug, ...body } = request.body
      const page = { actor, slug, body, faults, precondition: isNew, now: clock.now() }
      await doOnce(request, database, (tx) => putPage(tx, page))
      await brand.refresh()
      return seeOther(reply, HOME, t('brand.page_published', { title: body.title }))
    },
  })
}
