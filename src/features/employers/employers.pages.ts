/** Employer pages for registration, the profile and account closure. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../http/app.ts'
import { readUpload, type UploadRequest } from '../../http/upload.ts'
import { unconditionally } from '../../lib/entity-tags.ts'
import { validationFailed } from '../../lib/errors.ts'
import { Strict } from '../../lib/schema.ts'
import { t } from '../../locale/messages.ts'
import { createCookies } from '../../pages/cookies.ts'
import { editorForm, unlessChanged } from '../../pages/editing.ts'
import { emptyFaults, Form, fieldFault } from '../../pages/forms.ts'
import { returnToOf } from '../../pages/local-path.ts'
import { doOnce } from '../../pages/once.ts'
import { seeOther, signedIn } from '../../pages/page.ts'
import type { Kit } from '../feature.ts'
import { reportingFile } from '../resumes/index.ts'
import { moverOnPage, registerByEmail } from '../sessions/index.ts'
import { registerCompanies } from './directory.pages.ts'
import { presentEmployerProfile } from './employers.present.ts'
import type { PictureKind } from './employers.queries.ts'
import { PICTURE_BYTES_MAX, PICTURE_UPLOAD_BYTES_MAX } from './employers.routes.ts'
import { EmployerBody, EmployerRegistrationBody, writableEmployerMembers } from './employers.schemas.ts'
import {
  closeEmployer,
  encodeEmployerPicture,
  getOwnEmployer,
  registerEmployer,
  setEmployerPicture,
  updateEmployerProfile,
} from './employers.service.ts'
import { renderClosing, renderEmployerProfile, renderEmployerRegistration } from './employers.views.ts'

const PictureFile = Type.Unsafe<File>({})
/** The fields of the picture forms. The names differ, because both forms are on the same page. */
const pictureForms = {
  logo: { field: 'file', body: Strict({ file: PictureFile }) },
  cover: { field: 'cover', body: Strict({ cover: PictureFile }) },
} as const
const ClosingBody = Strict({ confirmation: Type.String({ maxLength: 300 }) })

const reading = { access: { kinds: ['employer'], scope: 'profile:read' } } as const
const writing = { access: { kinds: ['employer'], scope: 'profile:write' } } as const

export function registerEmployerPages(pages: App, kit: Kit): void {
  registerRegistration(pages, kit)
  registerProfile(pages, kit)
  registerPictureForm(pages, kit, 'logo')
  registerPictureForm(pages, kit, 'cover')
  registerCompanies(pages, kit)
}

function registerRegistration(pages: App, { database, clock }: Kit): void {
  const again = (request: FastifyRequest, form: Form) => renderEmployerRegistration(request.page, form)
  const config = { access: 'registration', again } as const

  pages.get('/register/employer', { config }, (request) =>
    renderEmployerRegistration(request.page, Form.of({ _return_to: returnToOf(request) })),
  )

  pages.post(
    '/register/employer',
    { config: { ...config, limit: 'registration' }, schema: { body: EmployerRegistrationBody } },
    async (request, reply) => {
      const { body } = request
      const wanted = { email: body.email, returnTo: returnToOf(request) }
      await registerByEmail(database, wanted, clock.now(), async (tx) => {
        return (await registerEmployer(tx, body, clock.now())).employer
      })
      return seeOther(reply, '/sign-in/sent')
    },
  )
}

function registerProfile(pages: App, { database, clock, settings, keyRing }: Kit): void {
  const present = async (request: FastifyRequest) =>
    presentEmployerProfile(await database.read((db) => getOwnEmployer(db, signedIn(request).accountId, clock.now())))

  pages.get('/employer/profile', { config: reading }, async (request) => {
    const profile = await present(request)
    return renderEmployerProfile(request.page, profile, {
      form: editorForm(profile, writableEmployerMembers),
      pictures: {},
    })
  })

  pages.post('/employer/profile', {
    config: {
      ...writing,
      again: async (request, form) =>
        renderEmployerProfile(request.page, await present(request), { form, pictures: {} }),
    },
    attachValidation: true,
    schema: { body: EmployerBody },
    handler: async (request, reply) => {
      const faults = [...request.faults, ...emptyFaults(request.form, ['name', 'email'])]
      const actor = signedIn(request)
      const { body, form } = request
      if (form.has('_preview')) {
        const shown = { form: Form.sent(form, faults), pictures: {}, isPreview: true }
        return renderEmployerProfile(request.page, await present(request), shown)
      }
      const change = { id: actor.accountId, body, faults, mover: moverOnPage(actor, clock.now()) }
      const precondition = unlessChanged(request, writableEmployerMembers)
      await doOnce(request, database, (tx) => updateEmployerProfile(tx, { ...change, precondition, now: clock.now() }))
      return seeOther(reply, '/employer/profile', t('employers.saved'))
    },
  })

  const closing = { ...writing, needs: 'whole-key' } as const

  pages.get('/employer/profile/close', { config: closing }, async (request) =>
    renderClosing(request.page, await present(request), Form.of()),
  )

  pages.post('/employer/profile/close', {
    config: {
      ...closing,
      again: async (request, form) => renderClosing(request.page, await present(request), form),
    },
    schema: { body: ClosingBody },
    handler: async (request, reply) => {
      const { accountId } = signedIn(request)
      const { name } = await present(request)
      if (request.body.confirmation.trim().toLowerCase() !== name.toLowerCase()) {
        throw validationFailed([fieldFault('confirmation', t('fault.company_name'))])
      }
      await database.inTx((tx) =>
        closeEmployer(tx, { settings, id: accountId, precondition: unconditionally, now: clock.now() }),
      )
      keyRing.forgetAccount(accountId)
      createCookies(settings.origin).session.clear(reply)
      return seeOther(reply, '/', t('employers.closed'))
    },
  })
}

/** Returns an upload request for a form. Omits the headers, because they describe the form, not the file. */
const uploadOf = ({ validationError }: FastifyRequest): UploadRequest => ({
  body: undefined,
  headers: {},
  ...(validationError && { validationError }),
})

function registerPictureForm(pages: App, { database, clock, settings }: Kit, kind: PictureKind): void {
  const HOME = '/employer/profile'
  const again = async (request: FastifyRequest, form: Form) => {
    const { accountId } = signedIn(request)
    const profile = presentEmployerProfile(await database.read((db) => getOwnEmployer(db, accountId, clock.now())))
    return renderEmployerProfile(request.page, profile, {
      form: editorForm(profile, writableEmployerMembers),
      pictures: { [kind]: form },
    })
  }
  const changeOf = (request: FastifyRequest) => {
    const { accountId: id } = signedIn(request)
    return { id, kind, origin: settings.origin, precondition: unconditionally, now: clock.now() }
  }
  const { field, body } = pictureForms[kind]

  pages.post(`${HOME}/${kind}`, {
    bodyLimit: PICTURE_UPLOAD_BYTES_MAX,
    config: { ...writing, limit: 'uploads', again },
    attachValidation: true,
    schema: { body },
    handler: async (request, reply) => {
      await reportingFile(field, async () => {
        const { [field]: file } = request.body as Record<string, unknown>
        const upload = await readUpload({ ...uploadOf(request), body: { file } }, PICTURE_BYTES_MAX)
        const { accountId: account } = signedIn(request)
        const bytes = await encodeEmployerPicture(kind, upload.bytes, { account, declared: '', pointer: `#/${field}` })
        await doOnce(request, database, (tx) => setEmployerPicture(tx, bytes, changeOf(request)))
      })
      return seeOther(reply, HOME, t(`employers.${kind}_saved`))
    },
  })

  pages.post(`${HOME}/${kind}/remove`, { config: writing }, async (request, reply) => {
    await doOnce(request, database, (tx) => setEmployerPicture(tx, undefined, changeOf(request)))
    return seeOther(reply, HOME, t(`employers.${kind}_removed`))
  })
}
