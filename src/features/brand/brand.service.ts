/** The board's settings, logo and legal pages (decision 0089). */
import type { Database, Reader, Tx } from '../../db/database.ts'
import { noteOperatorAction } from '../../db/operator-actions.ts'
import type { BoardPageTable } from '../../db/schema.ts'
import { encodePicture, type SentPicture } from '../../files/picture.ts'
import { type Billing, bareIban, billingOf, noBilling } from '../../lib/billing.ts'
import type { Brand } from '../../lib/brand.ts'
import type { Change, Submission } from '../../lib/changes.ts'
import type { Precondition } from '../../lib/entity-tags.ts'
import { AppError, type BodyFault, found } from '../../lib/errors.ts'
import { mergeBody } from '../../lib/merge.ts'
import { pictureTypes } from '../../lib/pictures.ts'
import type { Actor } from '../../lib/scopes.ts'
import { languages } from '../../locale/languages.ts'
import { type BoardSettings, brandOf, defaults, type Logo, logoOf, presentBoard, presentPage } from './brand.present.ts'
import {
  deletePageRow,
  findBilling,
  findBrand,
  findPage,
  findVersion,
  listPages,
  lockBrand,
  updateBrand,
  upsertPage,
} from './brand.queries.ts'
import {
  type Board,
  type BoardBody,
  type BoardPageBody,
  commonPages,
  isCommonPage,
  LANGUAGE,
  OTHER_PAGES_MAX,
  writableBoardMembers,
  writablePageMembers,
} from './brand.schemas.ts'

/** The account and key that change the brand. */
type Operator = Pick<Actor, 'accountId' | 'key'>

/**
 * This process's copy of the brand. Changes made in this process apply immediately. Changes made in other processes
 * apply within two seconds.
 */
export class LiveBrand {
  readonly #database: Database
  /** Invalidates cached pages, because they show the brand. Called after each change. */
  readonly #onChange: () => void
  #version = -1
  #now: Brand = brandOf(unset, [])
  #logo: Logo | undefined
  #pages: readonly BoardPageTable[] = []

  constructor(database: Database, onChange: () => void) {
    this.#database = database
    this.#onChange = onChange
  }

  /**
   * Returns the current brand. Each change creates a new object. Uses an arrow function, because it serves as a
   * callback.
   */
  readonly now = (): Brand => this.#now

  get logo(): Logo | undefined {
    return this.#logo
  }

  /** Returns a legal page, or undefined if it does not exist. */
  page(slug: string): BoardPageTable | undefined {
    return this.#pages.find((page) => page.slug === slug)
  }

  /**
   * Reads the stored brand if it has changed. Runs at startup, once a second, after each change in this process, and
   * before requests that need the newest brand.
   */
  async refresh(): Promise<void> {
    if ((await this.#database.read(findVersion)) === this.#version) return
    const { row, pages } = await this.#database.read(async (db) => ({
      row: await findBrand(db),
      pages: await listPages(db),
    }))
    // Ignores an earlier read that finishes late, because its data is older.
    if (row.version <= this.#version) return
    this.#version = row.version
    this.#now = brandOf(row, pages)
    this.#logo = logoOf(row)
    this.#pages = pages
    this.#onChange()
  }
}

const unset = {
  ...{ version: -1, name: null, tagline: null, description: null, accent_color: null, contact_email: null },
  ...{ logo_type: null, logo_bytes: null },
  ...{ languages: [...languages], default_language: 'en' },
  ...noBilling,
}

export const getBilling = async (reader: Reader): Promise<Billing> => billingOf(await findBilling(reader))

/** Returns the board's details for invoices, and the language of invoices. */
export async function getSeller(reader: Reader) {
  const { name, contact_email, default_language, ...billing } = await findBilling(reader)
  const { seller_name, seller_address: address, seller_vat_id: vat_id } = billing
  const seller = { name: seller_name ?? name ?? defaults.name, address, vat_id, email: contact_email }
  return { seller, isNamed: seller_name !== null, language: default_language }
}

/** Returns whether an admin has set the board's name. */
export async function isBoardSetUp(reader: Reader): Promise<boolean> {
  return (await findBrand(reader)).name !== null
}

export async function getBrand(reader: Reader): Promise<Brand> {
  return brandOf(await findBrand(reader), await listPages(reader))
}

interface BrandChange {
  actor: Operator
  settings: BoardSettings
  precondition: Precondition
  now: Date
}

export async function updateBoard(
  tx: Tx,
  { actor, body, faults, settings, precondition, now }: Omit<Change<BoardBody>, 'id'> & BrandChange,
): Promise<Brand> {
  const row = await lockBrand(tx)
  const pages = await listPages(tx)
  const present = presentBoard(brandOf(row, pages), settings)
  const { changed, merged } = mergeBody(
    present,
    { body, faults: withLanguageFault(present, { body, faults }) },
    writableBoardMembers,
  )
  precondition(present)
  const isFirst = row.name === null && body.name !== undefined
  if (changed.length === 0 && !isFirst) return brandOf(row, pages)
  const { name, tagline, description, accent_color, contact_email, languages, default_language } = merged
  const { bank_iban, bank_bic, ...billing } = billingOf(merged)
  const change = {
    ...{ name, tagline, description, contact_email, languages, default_language },
    accent_color: accent_color?.toLowerCase() ?? null,
    ...billing,
    ...{ bank_iban: bank_iban && bareIban(bank_iban), bank_bic: bank_bic?.toUpperCase() ?? null },
  }
  await updateBrand(tx, change)
  await noteOperatorAction(tx, actor, { action: 'board.update', subject: name, note: changed.join(', ') }, now)
  return brandOf({ ...row, ...change }, pages)
}

/** Returns the body's faults, plus one if the default language would not be one of the board's languages. */
function withLanguageFault(
  present: Board,
  { body, faults }: Pick<Submission<BoardBody>, 'body' | 'faults'>,
): readonly BodyFault[] {
  if (faults.some(({ pointer }) => /^#\/(?:default_language|languages)\b/.test(pointer))) return faults
  const { languages, default_language } = { ...present, ...body }
  if (languages.includes(default_language)) return faults
  const detail = 'default_language must be one of languages.'
  return [...faults, { pointer: '#/default_language', code: 'not_allowed', detail, rule: { keyword: 'enum' } }]
}

/** Maximum width and height of the stored logo, in pixels. */
const LOGO_SIDE = 512

/** Checks an uploaded logo and re-encodes it as PNG, because some email programs do not show WebP. */
export async function encodeBoardLogo(bytes: Buffer, sent: SentPicture): Promise<{ type: string; bytes: Buffer }> {
  return { type: pictureTypes.png, bytes: await encodePicture(bytes, sent, { side: LOGO_SIDE, type: 'png' }) }
}

/** Replaces the logo, or removes it. Throws `not_found` if there is no logo to remove. */
export async function setLogo(
  tx: Tx,
  logo: { type: string; bytes: Buffer } | undefined,
  { actor, settings, precondition, now }: BrandChange,
): Promise<Brand> {
  const row = await lockBrand(tx)
  const pages = await listPages(tx)
  if (!logo && !row.logo_type) throw new AppError('not_found', { detail: 'The board has no logo.' })
  precondition(logo ? presentBoard(brandOf(row, pages), settings) : undefined)
  const change = { logo_type: logo?.type ?? null, logo_bytes: logo?.bytes ?? null }
  const before = logoOf(row)
  const after = logoOf({ ...row, ...change })
  if (before?.file !== after?.file) {
    await updateBrand(tx, change)
    const action = logo ? 'board.logo' : 'board.remove_logo'
    await noteOperatorAction(tx, actor, { action, subject: row.name ?? 'logo' }, now)
  }
  return brandOf({ ...row, ...change }, pages)
}

export const getPage = async (reader: Reader, slug: string): Promise<BoardPageTable> =>
  found(await findPage(reader, slug))

interface PageChange {
  actor: Operator
  slug: string
  precondition: Precondition
}

/**
 * Creates a legal page, or merges a body into it. Throws `limit_reached` if a new page would exceed `OTHER_PAGES_MAX`.
 */
export async function putPage(
  tx: Tx,
  { actor, slug, body, faults, precondition, now }: Submission<BoardPageBody> & PageChange,
): Promise<BoardPageTable> {
  await lockBrand(tx)
  const stored = await findPage(tx, slug)
  const present = stored ? presentPage(stored) : { slug, title: '', text: '', language: LANGUAGE, updated_at: '' }
  const all = stored ? faults : [...faults, ...missingMembers(body, faults)]
  const { changed, merged } = mergeBody(present, { body, faults: all }, writablePageMembers)
  precondition(stored ? present : null)
  if (!stored) await assertRoom(tx, slug)
  if (stored && changed.length === 0) return stored
  const page = { ...merged, updated_at: now }
  await upsertPage(tx, page)
  await updateBrand(tx, {})
  await noteOperatorAction(tx, actor, { action: 'board_page.update', subject: slug, note: page.title }, now)
  return page
}

/** Returns a fault for each missing member that a new page requires, unless the member has another fault. */
function missingMembers(body: BoardPageBody, faults: readonly BodyFault[]): BodyFault[] {
  return (['title', 'text'] as const)
    .filter((member) => body[member] === undefined && !faults.some(({ pointer }) => pointer === `#/${member}`))
    .map((member) => {
      const detail = `${member} is required.`
      return { pointer: `#/${member}`, code: 'required', detail, rule: { keyword: 'required' } }
    })
}

async function assertRoom(tx: Tx, slug: string): Promise<void> {
  if (isCommonPage(slug)) return
  const others = (await listPages(tx)).filter((page) => !isCommonPage(page.slug))
  if (others.length < OTHER_PAGES_MAX) return
  throw new AppError('limit_reached', {
    detail: `A board can have at most ${OTHER_PAGES_MAX} pages besides ${commonPages.join(', ')}. Delete a page first.`,
    words: { key: 'problem.pages_max', values: { limit: OTHER_PAGES_MAX, pages: commonPages.join(', ') } },
    extra: { limit: OTHER_PAGES_MAX },
  })
}

export async function deletePage(
  tx: Tx,
  { actor, slug, precondition, now }: PageChange & { now: Date },
): Promise<void> {
  await lockBrand(tx)
  const page = await getPage(tx, slug)
  precondition(presentPage(page))
  await deletePageRow(tx, slug)
  await updateBrand(tx, {})
  await noteOperatorAction(tx, actor, { action: 'board_page.delete', subject: slug, note: page.title }, now)
}
