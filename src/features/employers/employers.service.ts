import { hash } from 'node:crypto'
import type { Reader, Tx } from '../../db/database.ts'
import { appendEvent } from '../../events/outbox.ts'
import { encodePicture, type SentPicture } from '../../files/picture.ts'
import type { Change } from '../../lib/changes.ts'
import type { Precondition } from '../../lib/entity-tags.ts'
import { AppError, accountGone, found } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { mergeBody } from '../../lib/merge.ts'
import { forgetMailsTo } from '../../mail/queue.ts'
import { fold } from '../../search/text/fold.ts'
import { words } from '../../search/text/words.ts'
import { assertNotBlocked, closeForGood, emailKey, lockAccount, openAccount, updateAccount } from '../accounts/index.ts'
import { deleteJobsOf, type JobSettings, noteEmployerChange, renameCompany } from '../jobs/index.ts'
import { isAddressChange, leaveAddress, type Mover } from '../sessions/index.ts'
import { addFirstOwners, moveMember } from '../teams/teams.sql.ts'
import { deleteWebhooksOf } from '../webhooks/index.ts'
import { presentEmployer, presentEmployerProfile } from './employers.present.ts'
import {
  findEmployer,
  findShownEmployer,
  insertEmployer,
  lockEmployer,
  type OwnEmployerRow,
  type PictureKind,
  replacePicture,
  updateEmployer,
} from './employers.queries.ts'
import {
  type EmployerBody,
  type EmployerRegistrationBody,
  privateEmployerMembers,
  writableEmployerMembers,
} from './employers.schemas.ts'
import { giveBack, keptDomain, verifiedMembers } from './employers.verification.ts'

type ProfileMembers = Omit<EmployerRegistrationBody, 'email'>

function profileColumns(profile: ProfileMembers) {
  const { name, location = null, website = null, logo_url = null, description = null } = profile
  const { industry = null, employee_count = null } = profile
  return {
    name,
    name_sort: fold(name),
    location,
    location_sort: location && fold(location),
    location_words: location ? words(location) : [],
    website,
    logo_url,
    description,
    industry,
    industry_sort: industry && fold(industry),
    employee_count,
  }
}

/** Returns an employer with its private members, even if its account is closed. Throws `not_found`. */
export const getOwnEmployer = async (reader: Reader, id: string, now: Date) =>
  found(await findEmployer(reader, id, now))

export const getShownEmployer = async (reader: Reader, id: string, now: Date) =>
  found(await findShownEmployer(reader, id, now))

/**
 * Registers an employer account. Only this call returns the API key. Throws `email_taken` if another employer account
 * has the email address.
 */
export async function registerEmployer(
  tx: Tx,
  { email, ...profile }: EmployerRegistrationBody,
  now: Date,
): Promise<{ employer: OwnEmployerRow; apiKey: string }> {
  const { id, apiKey } = await openAccount(tx, { kind: 'employer', name: profile.name, email }, now)
  await insertEmployer(tx, { id, account_id: id, ...profileColumns(profile), created_at: now, updated_at: now })
  await addFirstOwners(tx, emailKey(email)!)
  const employer = (await findEmployer(tx, id, now))!
  await appendEvent(tx, {
    type: 'employer.registered',
    subjectId: id,
    employerId: id,
    at: now,
    data: { employer: presentEmployer(employer) },
  })
  return { employer, apiKey }
}

/** Returns the key that identifies an imported company. Ignores case and accents. */
export const importedEmployerKey = (name: string): string => fold(name)

/**
 * Returns the columns of an imported company. If a concurrent import inserts the company first, the ID remains unused.
 */
export function newImportedEmployer(profile: ProfileMembers, now: Date) {
  return { id: newId('employer'), account_id: null, ...profileColumns(profile), created_at: now, updated_at: now }
}

export async function updateEmployerProfile(
  tx: Tx,
  { id, body, faults, precondition, now, mover }: Change<EmployerBody> & { mover: Mover },
): Promise<OwnEmployerRow> {
  const row = found(await lockEmployer(tx, id, now))
  const present = presentEmployerProfile(row)
  const { changed, merged } = mergeBody(present, { body, faults }, writableEmployerMembers)
  const { name, email } = merged
  const isMoved = isAddressChange(mover, present.email, email)
  precondition(present)
  if (isMoved) await assertNotBlocked(tx, email, now)

  const { mail_on_application, billing_name, billing_address, vat_id } = merged
  const ownColumns = { mail_on_application, billing_name, billing_address, vat_id }
  const verified_domain = keptDomain(row.verified_domain, merged.website)
  await updateEmployer(tx, id, { ...profileColumns(merged), ...ownColumns, verified_domain, updated_at: now })
  if (changed.includes('logo_url')) await replacePicture(tx, id, 'logo', undefined)
  const renamed = changed.includes('name')
  if (renamed || changed.includes('email')) await updateAccount(tx, id, { name, email })
  if (isMoved) await moveMember(tx, id, { from: emailKey(present.email)!, to: emailKey(email)!, email })
  if (isMoved) await leaveAddress(tx, { accountId: id, address: present.email, sessionId: mover.sessionId, now })
  if (renamed) {
    await renameCompany(tx, id, name, now)
  } else if (changed.includes('logo_url')) {
    await noteEmployerChange(tx, id, now)
  }
  const updated = (await findEmployer(tx, id, now))!
  // Omits private members (decision 0012).
  const lost = verified_domain === row.verified_domain ? [] : verifiedMembers
  const told = [...changed.filter((member) => !privateEmployerMembers.includes(member)), ...lost]
  if (told.length > 0) {
    await appendEvent(tx, {
      type: 'employer.profile_updated',
      subjectId: id,
      employerId: id,
      at: now,
      data: { employer: presentEmployer(updated), changed_fields: told },
    })
  }
  return updated
}

/** Maximum width and height, in pixels. Pictures are sharp on dense screens at the largest size that pages show. */
const sides = { logo: 512, cover: 1_600 } as const

/** Checks an uploaded picture and re-encodes it. */
export const encodeEmployerPicture = (kind: PictureKind, bytes: Buffer, sent: SentPicture): Promise<Buffer> =>
  encodePicture(bytes, sent, { side: sides[kind], type: 'webp' })

interface PictureChange {
  id: string
  kind: PictureKind
  origin: string
  precondition: Precondition
  now: Date
}

/**
 * Replaces the logo or the cover with an encoded picture, or removes it. Throws `not_found` if there is no picture to
 * remove.
 */
export async function setEmployerPicture(
  tx: Tx,
  bytes: Buffer | undefined,
  { id, kind, origin, precondition, now }: PictureChange,
): Promise<OwnEmployerRow> {
  const row = found(await lockEmployer(tx, id, now))
  const member = `${kind}_url` as const
  if (!bytes && row[member] === null) throw new AppError('not_found', { detail: `Your company has no ${kind}.` })
  precondition(bytes && presentEmployerProfile(row))
  const picture = bytes && { file: `${hash('sha256', bytes).slice(0, 32)}.webp`, bytes }
  const url = picture ? `${origin}/pictures/${picture.file}` : null
  await replacePicture(tx, id, kind, picture)
  if (url === row[member]) return row
  await updateEmployer(tx, id, { [member]: url, updated_at: now })
  // Jobs show the logo, but not the cover.
  if (kind === 'logo') await noteEmployerChange(tx, id, now)
  const updated = (await findEmployer(tx, id, now))!
  await appendEvent(tx, {
    type: 'employer.profile_updated',
    subjectId: id,
    employerId: id,
    at: now,
    data: { employer: presentEmployer(updated), changed_fields: [member] },
  })
  return updated
}

/**
 * Closes an employer account permanently. Deletes its jobs, pictures, webhooks, members, keys, passkeys and sessions.
 * Releases its email address and the companies that it took over. Keeps the employer's row, to which applications and
 * payments refer. After the commit, the caller must remove the account from the key ring.
 */
export async function closeEmployer(
  tx: Tx,
  { settings, id, precondition, now }: { settings: JobSettings; id: string; precondition: Precondition; now: Date },
): Promise<void> {
  const row = await lockEmployer(tx, id, now)
  // Locks the account before the jobs. Suspensions and job postings lock in the same order.
  if (!row || !(await lockAccount(tx, id))) throw accountGone()
  precondition(presentEmployerProfile(row))
  for (const kind of ['logo', 'cover'] as const) await replacePicture(tx, id, kind, undefined)
  // Invoices have their own copy of the billing details.
  const billing = { billing_name: null, billing_address: null, vat_id: null }
  await updateEmployer(tx, id, { logo_url: null, cover_url: null, verified_domain: null, ...billing })
  await giveBack(tx, settings, id, now)
  await deleteJobsOf(tx, settings, id, now)
  await deleteWebhooksOf(tx, id)
  await forgetMailsTo(tx, id)
  await closeForGood(tx, id, now)
}
