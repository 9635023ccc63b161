/** Adds and removes passkeys, and signs people in with them, using WebAuthn (decision 0125). */
import { hash } from 'node:crypto'
import type { AuthenticationResponseJSON, RegistrationResponseJSON, WebAuthnCredential } from '@simplewebauthn/server'
import { isEmailBlocked } from '../../db/blocks.ts'
import type { Database, Tx } from '../../db/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Actor } from '../../lib/scopes.ts'
import { scopesOf, scopesOfRole } from '../../lib/scopes.ts'
import { passkeyDomain } from '../../lib/url.ts'
import { queueMails } from '../../mail/queue.ts'
import { lockAccount } from '../accounts/index.ts'
import { beginSession } from '../sessions/index.ts'
import { findActiveMember } from '../teams/teams.sql.ts'
import {
  deletePasskey,
  findStandingPasskey,
  insertChallenge,
  insertPasskey,
  listPasskeys,
  noteUse,
  type Person,
  type StandingPasskey,
  takeChallenge,
} from './passkeys.queries.ts'

/** Maximum number of passkeys per person, not per account. */
const PASSKEYS_MAX = 20
/** How long a challenge is valid, in milliseconds. Browsers usually stop waiting for the person sooner. */
const CHALLENGE_MS = 5 * 60_000

/**
 * Signature algorithms of new passkeys: EdDSA, ES256 and RS256. By default, the library also offers ML-DSA-44, which is
 * experimental in Node.
 */
const ALGORITHMS = [-8, -7, -257]

/** Loads the library on first use, because loading it takes longer than all other imports at startup. */
const webauthn = () => import('@simplewebauthn/server')

/** The request in which a browser asks for options or answers a challenge. */
interface Ceremony {
  database: Database
  /** The board's public origin. */
  origin: string
  /** The visitor's form token. A challenge is valid only for the visitor who received it. */
  csrfToken: string
  now: Date
}

const hashOf = (challenge: string, { csrfToken }: Ceremony) => hash('sha256', `${challenge} ${csrfToken}`)

async function keepChallenge(ceremony: Ceremony, challenge: string): Promise<void> {
  const { database, now } = ceremony
  const expiresAt = new Date(now.getTime() + CHALLENGE_MS)
  await database.inStatement((tx) => insertChallenge(tx, hashOf(challenge, ceremony), { now, expiresAt }))
}

/** A browser's response. Only the format of its challenge and of the passkey's ID has been checked. */
interface Answer {
  challenge: string
  credentialId: string
  response: unknown
}

function parseAnswer(text: string): Answer | undefined {
  try {
    const response = JSON.parse(text)
    const { challenge } = JSON.parse(Buffer.from(response.response.clientDataJSON, 'base64url').toString())
    const credentialId = Buffer.from(response.id, 'base64url').toString('base64url')
    return typeof challenge === 'string' && credentialId === response.id
      ? { challenge, credentialId, response }
      : undefined
  } catch {
    return undefined
  }
}

/** Consumes the challenge of a browser's response and returns the response, or undefined if either is invalid. */
async function takeAnswer(ceremony: Ceremony, text: string): Promise<Answer | undefined> {
  const { database, now } = ceremony
  const answer = parseAnswer(text)
  if (!answer) return undefined
  const hash = hashOf(answer.challenge, ceremony)
  return (await database.inStatement((tx) => takeChallenge(tx, hash, now))) ? answer : undefined
}

const expected = (ceremony: Ceremony, { challenge }: Answer) => ({
  expectedChallenge: challenge,
  expectedOrigin: ceremony.origin,
  expectedRPID: domainOf(ceremony),
  requireUserVerification: true,
})

function domainOf({ origin }: Ceremony): string {
  const domain = passkeyDomain(origin)
  if (domain === undefined) throw new AppError('not_found')
  return domain
}

export const personOf = ({ accountId, member }: Actor): Person => ({ accountId, memberId: member?.id ?? null })

/**
 * Returns whether a person may add passkeys in this session. They must have confirmed their email address in it.
 * Otherwise, a passkey would have more permissions than the API key with which the session began.
 */
export const mayAdd = ({ session }: Actor): boolean => session?.emailKey != null

/** Returns the options with which a browser creates a passkey. */
export async function optionsToAdd(ceremony: Ceremony, actor: Actor, boardName: string) {
  const passkeys = await ceremony.database.read((db) => listPasskeys(db, personOf(actor)))
  const options = await (await webauthn()).generateRegistrationOptions({
    rpName: boardName,
    rpID: domainOf(ceremony),
    userName: actor.email ?? actor.name,
    userDisplayName: actor.member?.name ?? actor.name,
    userID: new TextEncoder().encode(actor.member?.id ?? actor.accountId),
    // An authenticator needs only one passkey per person.
    excludeCredentials: passkeys.map(({ credential_id }) => ({ id: credential_id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
  await keepChallenge(ceremony, options.challenge)
  return options
}

/** Returns the options with which a browser signs in with any passkey of this board. */
export async function optionsToSignIn(ceremony: Ceremony) {
  const options = await (await webauthn()).generateAuthenticationOptions({
    rpID: domainOf(ceremony),
    userVerification: 'required',
  })
  await keepChallenge(ceremony, options.challenge)
  return options
}

/** Returns the new passkey in a browser's response, or undefined if the response is invalid. */
export async function readNewPasskey(ceremony: Ceremony, text: string): Promise<WebAuthnCredential | undefined> {
  const answer = await takeAnswer(ceremony, text)
  if (!answer) return undefined
  const { verifyRegistrationResponse } = await webauthn()
  const response = answer.response as RegistrationResponseJSON
  // `verifyRegistrationResponse` throws if the response is invalid.
  const verified = await verifyRegistrationResponse({
    response,
    supportedAlgorithmIDs: ALGORITHMS,
    ...expected(ceremony, answer),
  }).catch(() => undefined)
  return verified?.registrationInfo?.credential
}

/** Adds a passkey, and notifies the person by email. Returns false if the board already has it. */
export async function addPasskey(
  tx: Tx,
  { actor, name, credential, now }: { actor: Actor; name: string; credential: WebAuthnCredential; now: Date },
): Promise<boolean> {
  const { accountId, email } = actor
  const person = personOf(actor)
  await lockAccount(tx, accountId)
  if ((await listPasskeys(tx, person)).length >= PASSKEYS_MAX) {
    const words = { key: 'problem.passkeys_max', values: { limit: PASSKEYS_MAX } } as const
    throw new AppError('limit_reached', { words })
  }
  const id = newId('passkey')
  const isNew = await insertPasskey(tx, {
    ...{ id, name, account_id: accountId, member_id: person.memberId, email_key: actor.session!.emailKey! },
    ...{ credential_id: credential.id, public_key: Buffer.from(credential.publicKey), counter: credential.counter },
    ...{ created_at: now, last_used_at: null },
  })
  if (isNew) {
    const details = { address: email, passkey: name }
    await queueMails(tx, [{ kind: 'passkey-added', accountId, subjectId: id, details, at: now }])
  }
  return isNew
}

/**
 * Removes one of a person's passkeys, and ends the sessions that began with it. Throws `not_found` if the person has no
 * passkey with this ID.
 */
export async function removePasskey(tx: Tx, actor: Actor, id: string): Promise<void> {
  if (!(await deletePasskey(tx, personOf(actor), id))) throw new AppError('not_found')
}

interface PasskeyUse {
  credentialId: string
  counter: number
}

/** Returns the use of a passkey in a browser's response, or undefined if the response or the passkey is invalid. */
export async function readUse(ceremony: Ceremony, text: string): Promise<PasskeyUse | undefined> {
  const answer = await takeAnswer(ceremony, text)
  if (!answer) return undefined
  const { credentialId } = answer
  const passkey = await ceremony.database.read((db) => findStandingPasskey(db, credentialId))
  if (!passkey) return undefined
  const { verifyAuthenticationResponse } = await webauthn()
  const response = answer.response as AuthenticationResponseJSON
  const { public_key: publicKey, counter } = passkey
  const credential = { id: credentialId, publicKey: new Uint8Array(publicKey), counter }
  // `verifyAuthenticationResponse` throws if the response is invalid.
  const checked = await verifyAuthenticationResponse({ response, ...expected(ceremony, answer), credential }).catch(
    () => undefined,
  )
  return checked?.verified ? { credentialId, counter: checked.authenticationInfo.newCounter } : undefined
}

/**
 * Begins a session for the person to whom a passkey belongs. Returns undefined if the person may no longer sign in with
 * it, or if `noteUse` rejects the passkey's counter.
 */
export async function signInWithPasskey(tx: Tx, { credentialId, counter }: PasskeyUse, now: Date) {
  const passkey = await findStandingPasskey(tx, credentialId)
  if (!passkey || !(await noteUse(tx, passkey.id, { counter, now }))) return undefined
  const { account_id: accountId, member_id: memberId, kind, present_key } = passkey
  if (present_key !== null && (await isEmailBlocked(tx, present_key, now))) return undefined
  const session = { accountId, memberId, keyHash: null, passkeyId: passkey.id, emailKey: provedKey(passkey) }
  const member = memberId === null ? undefined : await findActiveMember(tx, accountId, memberId)
  const actor = { accountId, kind, scopes: member ? scopesOfRole(member.role) : scopesOf(kind) }
  return { token: await beginSession(tx, session, now), actor, isShared: false }
}

/**
 * Returns the email address that a passkey confirms, or null if the person's email address has changed since the
 * passkey was added.
 */
const provedKey = ({ email_key, present_key }: StandingPasskey) => (email_key === present_key ? email_key : null)
