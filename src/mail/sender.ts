/**
 * Sends each queued email at most once, even with several processes, and even if a process dies at any point (decision
 * 0018).
 *
 * A process commits the start of a handover before the mail server receives anything. It then records a definite
 * result: accepted, refused or unreachable. If the process dies before that, or if the connection breaks during the
 * transfer, the email may have arrived and is not sent again.
 */
import { setTimeout as after } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { Counter, type Registry } from 'prom-client'
import type { Task } from '../background/loop.ts'
import { findBacklog } from '../db/backlog.ts'
import { isEmailBlocked } from '../db/blocks.ts'
import { notAfter } from '../db/clock.ts'
import type { Database, Tx } from '../db/database.ts'
import { type DeletedBatch, EPOCH, purgeInOrder } from '../db/purge.ts'
import type { AccountTable } from '../db/schema.ts'
import type { Brand } from '../lib/brand.ts'
import { addressKey } from '../lib/email-blocks.ts'
import { AppError } from '../lib/errors.ts'
import { signToken } from '../lib/signed-token.ts'
import type { Clock } from '../lib/time.ts'
import { inLocale, type Locale } from '../locale/locale.ts'
import { countUnconfirmed, forgetUnconfirmed, hashOfAddress, isSuppressed } from './addresses.ts'
import { type Face, type Footer, neutralMessage, oneLine, renderHtml, renderText } from './layout.ts'
import { type MailComposer, type MailKind, type Message, type QueuedMail, SETTLED_KEPT_MS } from './queue.ts'
import { DELIVERY_MS, type Delivery, type MailTransport } from './transport.ts'

/** Maximum number of concurrent deliveries, each on its own connection. A low number lets a process stop quickly. */
const AT_ONCE = 5
/** Duration of a process's lease on an email, in milliseconds. Must exceed the maximum duration of a delivery. */
const LEASE_MS = DELIVERY_MS + 60_000
const AWAY_PAUSE_MS = 200
const MINUTE_MS = 60_000
/** Pauses after failed attempts. The maximum number of attempts is one more than the number of pauses. */
export const pausesMs = [1, 5, 15, 60, 180, 360, 720, 1_440, 1_440].map((minutes) => minutes * MINUTE_MS)

interface Log {
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

export interface SenderDeps {
  database: Database
  clock: Clock
  log: Log
  metrics: MailMetrics
  transport: MailTransport
  /** The composers by kind of email. Emails of other kinds are left to processes that support them. */
  composers: Readonly<Partial<Record<MailKind, MailComposer>>>
  origin: string
  brand: () => Omit<Face, 'origin'> & Pick<Brand, 'languages' | 'defaultLanguage'>
  /** IANA name of the time zone in which emails show times. */
  timeZone: string
  unsubscribeSecret: Uint8Array
}

interface ClaimedMail extends QueuedMail {
  kind: MailKind
  /** Number of attempts, including the current one. Also distinguishes this claim from later ones. */
  attempts: number
  /** When the lease ends, in milliseconds of this process's monotonic clock. */
  leasedUntil: number
}

type MailMetrics = Counter<'kind' | 'outcome'>

export function createMailMetrics(registry: Registry, kinds: readonly MailKind[]): MailMetrics {
  const mails = new Counter({
    name: 'mails_total',
    help: 'Finished attempts to send an email, by kind and outcome: sent, failed, unknown or postponed',
    labelNames: ['kind', 'outcome'] as const,
    registers: [registry],
  })
  // Starts at zero; otherwise, monitoring would not see the first failure as an increase.
  for (const kind of kinds) {
    for (const outcome of ['sent', 'failed', 'unknown', 'postponed']) mails.inc({ kind, outcome }, 0)
  }
  return mails
}

/**
 * Returns the one-click URL that ends the subscription `id` to emails of this kind. With `never`, the URL stops all
 * emails to an email address, and `id` is the hash of that email address.
 */
export function unsubscribeUrl(origin: string, secret: Uint8Array, kind: MailKind | 'never', id: string): string {
  return `${origin}/unsubscribe/${signToken(secret, `${kind} ${id}`)}`
}

/** Returns the URL where a recipient confirms that the email address of an account is theirs. */
export function confirmUrl(origin: string, secret: Uint8Array, accountId: string, addressHash: string): string {
  return `${origin}/confirm-email/${signToken(secret, `confirm ${accountId} ${addressHash}`)}`
}

export function mailSender(deps: SenderDeps): Task {
  return {
    name: 'mail',
    everyMs: 5_000,
    async once(ending) {
      const claimed = await claim(deps)
      // A failure must not interrupt the other emails of the round.
      const ends = await Promise.allSettled(claimed.map((mail) => send(deps, mail, ending)))
      for (const end of ends) if (end.status === 'rejected') throw end.reason
      return claimed.length === AT_ONCE && ends.every((end) => 'value' in end && end.value) ? 'more' : 'done'
    },
    backlog: () =>
      deps.database.read((db) =>
        findBacklog(db, { since: 'created_at', from: sql`mail where state = 'pending' and not ${isResting}` }),
      ),
  }
}

/** Tries to send an email, and records the result if there is one. Returns false if the mail server is unreachable. */
async function send(deps: SenderDeps, mail: ClaimedMail, ending: AbortSignal | undefined): Promise<boolean> {
  const { log } = deps
  const { settle, retryLater } = resultsOf(deps, mail, ending)
  if (mail.attempts > pausesMs.length + 1) {
    await settle('failed', 'The last attempt ended without a result.')
    return true
  }
  const prepared = await prepare(deps, mail).catch(async (error: unknown) => {
    log.error({ err: error, mail_id: mail.id }, 'email could not be composed')
    await retryLater('The email could not be composed.')
  })
  if (!prepared) return true
  const delivery = await deliver(deps, mail, prepared, ending)
  if (delivery.outcome === 'sent') {
    await settle('sent', null)
    return true
  }
  const { outcome, detail } = delivery
  const entry = { mail_id: mail.id, reason: detail }
  if (outcome === 'unreachable') log.error(entry, 'mail server unreachable')
  else log.warn(entry, outcome === 'unknown' ? 'email may have arrived and is not sent again' : 'email refused')
  if (outcome === 'unknown') await settle('unknown', detail)
  else if (outcome === 'refused' && delivery.isFinal) await settle('failed', detail)
  else await retryLater(detail)
  return outcome !== 'unreachable'
}

function deliver(
  { transport, clock, brand, origin }: SenderDeps,
  { id }: ClaimedMail,
  prepared: Prepared,
  ending?: AbortSignal,
) {
  const { message, to, footer, locale } = prepared
  const face = { ...brand(), origin }
  const outgoing = {
    id,
    to,
    subject: oneLine(message.subject),
    text: inLocale(locale, () => renderText(message, footer, face)),
    html: inLocale(locale, () => renderHtml(message, footer, face)),
    language: locale.language,
    unsubscribeUrl: footer.unsubscribeUrl,
    date: clock.now(),
  }
  // The transport throws if the disk is full or the email cannot be built. In either case, nothing has been handed
  // over.
  return transport
    .deliver(outgoing, ending)
    .catch((error: Error): Delivery => ({ outcome: 'refused', isFinal: false, detail: error.message.slice(0, 500) }))
}

function resultsOf({ database, clock, log, metrics }: SenderDeps, mail: ClaimedMail, ending: AbortSignal | undefined) {
  const { id, kind, attempts, leasedUntil } = mail
  /**
   * While the database is unavailable, retries until the lease ends or the process stops, because only this process has
   * the result.
   */
  const write = async (change: RawBuilder<unknown>) => {
    for (;;) {
      try {
        // Another process may already have settled the email as unknown, because its clock was wrong.
        await database.inStatement((tx) =>
          sql`
            update mail set ${change}
            where id = ${id} and state in ('pending', 'unknown') and attempts = ${attempts}`.execute(tx),
        )
        return
      } catch (error) {
        const isAway = error instanceof AppError && error.code === 'unavailable'
        if (!isAway || ending?.aborted || performance.now() > leasedUntil) throw error
        await after(AWAY_PAUSE_MS)
      }
    }
  }

  const settle = (state: 'sent' | 'failed' | 'unknown', error: string | null) => {
    metrics.inc({ kind, outcome: state })
    return write(sql`state = ${state}, settled_at = ${clock.now()}, lease_until = null, last_error = ${error}`)
  }

  const retryLater = async (error: string) => {
    const pauseMs = pausesMs[attempts - 1]
    if (pauseMs === undefined) {
      log.error({ mail_id: id, reason: error }, 'email failed after its last attempt')
      return settle('failed', error)
    }
    metrics.inc({ kind, outcome: 'postponed' })
    const dueAt = new Date(clock.now().getTime() + pauseMs)
    return write(sql`state = 'pending', settled_at = null, due_at = ${dueAt}, lease_until = null,
      handed_over_at = null, last_error = ${error}`)
  }

  return { settle, retryLater }
}

/**
 * Emails to suspended accounts wait. Emails to closed accounts are dropped, because these accounts have no email
 * address.
 */
const isResting = sql`exists (
  select from account where account.id = mail.account_id and suspended_at is not null and closed_at is null)`

/** Settles emails whose lease ended during the handover, then claims due emails. */
async function claim({ database, clock, log, composers }: SenderDeps): Promise<ClaimedMail[]> {
  const now = clock.now()
  const leasedUntil = performance.now() + LEASE_MS
  const { lost, claimed } = await database.inTx(async (tx) => {
    const lost = await sql<{ id: string }>`
      update mail set state = 'unknown', settled_at = ${now}, lease_until = null,
        last_error = 'The result of sending the email was lost.'
      where state = 'pending' and handed_over_at is not null and lease_until <= ${now} returning id`.execute(tx)
    const claimed = await sql<Omit<ClaimedMail, 'leasedUntil'>>`
      with due as (
        select id from mail
        where state = 'pending' and due_at <= ${now} and (lease_until is null or lease_until <= ${now})
          -- A process whose clock is far behind may have handed the email over since the statement above.
          and handed_over_at is null
          and kind = any(${Object.keys(composers)}::text[])
          and not ${isResting}
        order by due_at, id limit ${AT_ONCE} for update skip locked
      )
      update mail set attempts = attempts + 1, lease_until = ${new Date(now.getTime() + LEASE_MS)}
      from due where mail.id = due.id
      returning mail.id, mail.kind, mail.account_id, mail.member_id, mail.subject_id, mail.details, mail.repeats, mail.attempts`.execute(
      tx,
    )
    return { lost: lost.rows, claimed: claimed.rows.map((mail) => ({ ...mail, leasedUntil })) }
  })
  for (const { id } of lost) log.warn({ mail_id: id }, 'email may have arrived and is not sent again')
  return claimed
}

type Recipient = Pick<AccountTable, 'email' | 'language'> & {
  /** The email addresses that the recipient has confirmed, in canonical form. */
  confirmed: readonly (string | null)[]
  /** Whether a link in the email can confirm the email address. True for accounts. */
  canConfirm: boolean
}

interface Prepared {
  message: Message
  to: string
  footer: Footer
  locale: Locale
}

/**
 * Why an email is not sent:
 * - not_needed: nothing is left to report, or the recipient turned these emails off.
 * - no_address: the account has no email address, or the recipient no longer exists.
 * - stopped: the recipient stopped all emails to the email address.
 * - blocked: an operator blocked the email address.
 * - unconfirmed_limit: the unconfirmed email address has reached its daily limit.
 */
const dropReasons = ['not_needed', 'no_address', 'stopped', 'blocked', 'unconfirmed_limit'] as const
type DropReason = (typeof dropReasons)[number]

/**
 * Composes the message and records its recipient and the start of the handover in one transaction. Returns undefined if
 * the email must not be sent, or if this process no longer has the lease.
 */
async function prepare(deps: SenderDeps, mail: ClaimedMail): Promise<Prepared | undefined> {
  const { database, clock, transport } = deps
  return database.inTx(async (tx) => {
    const now = clock.now()
    const { rows } = await sql`
      select 1 from mail
      where id = ${mail.id} and state = 'pending' and attempts = ${mail.attempts} and lease_until > ${now}
      for update`.execute(tx)
    if (rows.length === 0) return undefined
    const prepared = await composeInLocale(deps, tx, mail, now)
    if (typeof prepared === 'string') {
      await sql`
        update mail set state = 'dropped', settled_at = ${now}, lease_until = null, last_error = ${prepared}
        where id = ${mail.id}`.execute(tx)
      return undefined
    }
    const handedOverAt = transport.isIdempotent ? null : now
    await sql`
      update mail set recipient_key = ${addressKey(prepared.to)}, handed_over_at = ${handedOverAt}
      where id = ${mail.id}`.execute(tx)
    return prepared
  })
}

async function findRecipient(tx: Tx, { account_id, member_id }: QueuedMail): Promise<Recipient | undefined> {
  if (member_id === null) {
    const account = await tx.selectFrom('account').selectAll().where('id', '=', account_id).executeTakeFirst()
    return (
      account && { ...account, confirmed: [account.email_proved_key, account.email_confirmed_key], canConfirm: true }
    )
  }
  const member = await tx.selectFrom('member').selectAll().where('id', '=', member_id).executeTakeFirst()
  // Members who were invited confirmed their email addresses by accepting the invitation.
  return member && { ...member, confirmed: [member.invited_at && member.email_key], canConfirm: false }
}

/**
 * Composes a message in its recipient's language if the board offers that language, and otherwise in the default
 * language.
 */
async function composeInLocale(deps: SenderDeps, tx: Tx, mail: ClaimedMail, now: Date): Promise<Prepared | DropReason> {
  const recipient = await findRecipient(tx, mail)
  if (!recipient) return 'no_address'
  const { languages, defaultLanguage } = deps.brand()
  const language = languages.find((offered) => offered === recipient.language) ?? defaultLanguage
  const locale = { language, timeZone: deps.timeZone }
  const composed = await inLocale(locale, () => compose(deps, tx, { ...mail, recipient }, now))
  return typeof composed === 'string' ? composed : { ...composed, locale }
}

/** Kinds of emails whose own links confirm the email address. */
const CONFIRMING: ReadonlySet<MailKind> = new Set(['sign-in', 'invitation', 'company-claim'])

/** Composes a message. Unconfirmed email addresses receive only a few emails, none with user input. */
async function compose(
  { composers, origin, unsubscribeSecret: secret }: SenderDeps,
  tx: Tx,
  { recipient, ...mail }: ClaimedMail & { recipient: Recipient },
  now: Date,
): Promise<Omit<Prepared, 'locale'> | DropReason> {
  const message = await composers[mail.kind]!(tx, mail, now)
  if (!message) return 'not_needed'
  const to = message.to ?? recipient.email
  if (to === null) return 'no_address'
  const key = addressKey(to)
  const addressHash = hashOfAddress(key)
  if (await isSuppressed(tx, addressHash)) return 'stopped'
  if (await isEmailBlocked(tx, to, now)) return 'blocked'
  const { unsubscribeId } = message
  const footer = {
    unsubscribeUrl: unsubscribeId && unsubscribeUrl(origin, secret, mail.kind, unsubscribeId),
    neverUrl: unsubscribeUrl(origin, secret, 'never', addressHash),
  }
  if (recipient.confirmed.includes(key) || message.isToOperator) return { message, to, footer }
  // Sign-in links have their own limit.
  if (mail.kind !== 'sign-in' && !(await countUnconfirmed(tx, addressHash, now))) return 'unconfirmed_limit'
  const canConfirm = recipient.canConfirm && !CONFIRMING.has(mail.kind)
  const url = canConfirm ? confirmUrl(origin, secret, mail.account_id, addressHash) : undefined
  return { message: neutralMessage(message, url), to, footer }
}

/**
 * After the clock has been set back, moves due times and the ends of leases earlier: each email then waits at most as
 * long as if its last attempt had failed now.
 */
export async function bringMailsBack(tx: Tx, now: Date): Promise<void> {
  const leaseUntil = new Date(now.getTime() + LEASE_MS)
  const latest = sql`${now}::timestamptz + coalesce((${pausesMs}::integer[])[attempts], 0) * interval '1 ms'`
  await sql`
    update mail set due_at = ${notAfter('due_at', latest)}, lease_until = ${notAfter('lease_until', leaseUntil)}
    where state = 'pending' and (due_at > ${latest} or lease_until > ${leaseUntil})`.execute(tx)
}

export function mailPurge(database: Database, clock: Clock): Task {
  const purge = purgeInOrder(EPOCH, async (before, { from, limit }) => {
    const { rows } = await database.inStatement((tx) =>
      sql<DeletedBatch<Date>>`
        with deleted as (
          delete from mail where id = any(array(
            select id from mail where settled_at >= ${from} and settled_at < ${before}
            order by settled_at limit ${limit} for update skip locked))
          returning settled_at)
        select count(*)::int as count, max(settled_at) as last from deleted`.execute(tx),
    )
    return rows[0]!
  })
  return {
    name: 'mail-purge',
    everyMs: 3_600_000,
    async once() {
      const outcome = await purge(new Date(clock.now().getTime() - SETTLED_KEPT_MS))
      await database.inStatement((tx) => forgetUnconfirmed(tx, clock.now()))
      return outcome
    },
  }
}
