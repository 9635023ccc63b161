/** Manages blocked email addresses, email domains and networks (decision 0067). */
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import type { Tx } from '../../db/database.ts'
import { noteOperatorAction } from '../../db/operator-actions.ts'
import type { BlockTable } from '../../db/schema.ts'
import type { Submission } from '../../lib/changes.ts'
import { addressKey, domainKey } from '../../lib/email-blocks.ts'
import { AppError, type BodyFault, found, validationFailed, type Words } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Actor } from '../../lib/scopes.ts'
import { parseTime } from '../../lib/time.ts'
import type { Kit } from '../feature.ts'
import { deleteBlockRow, insertBlock, listBlockedNetworks } from './blocks.queries.ts'
import type { BlockBody, BlockKind } from './blocks.schemas.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [address: Address, bits: number]

/** Minimum prefix lengths. A shorter prefix would block a large share of the internet, so it is most likely a typo. */
const BITS_MIN = { ipv4: 8, ipv6: 16 } as const

const forms: Record<BlockKind, string> = {
  address: 'Enter an email address, such as name@example.com.',
  email_domain: 'Enter a domain, such as example.com.',
  network: 'Enter an IP address, or a range such as 203.0.113.0/24.',
}

/** Creates a block. `from` is the caller's IP address, which a blocked network must not contain. */
export async function createBlock(
  tx: Tx,
  { actor, body, faults, from, now }: Submission<BlockBody> & { actor: Actor; from: Address | undefined },
): Promise<BlockTable> {
  const isSound = (member: string) => !faults.some(({ pointer }) => pointer.split('/')[1] === member)
  const found = [...faults]
  const value = isSound('kind') && isSound('value') ? blockValue(body, found) : undefined
  const expires_at = body.expires_at && isSound('expires_at') ? parseTime(body.expires_at, 'end')! : null
  if (expires_at && expires_at <= now) {
    const detail = 'expires_at must be in the future.'
    found.push({ pointer: '#/expires_at', code: 'invalid_range', detail, words: { key: 'fault.past' } })
  }
  if (found.length > 0) throw validationFailed(found)
  const { kind, reason } = body
  if (kind === 'network' && from && isIn(from, parseNetwork(value!)!)) {
    const detail = 'This network contains your own IP address.'
    throw new AppError('conflict', { detail, words: { key: 'problem.own_network' } })
  }
  const created = { created_at: now, created_by: actor.key.name, expires_at }
  const block = { id: newId('block'), kind, value: value!, reason, ...created }
  if (!(await insertBlock(tx, block, now))) {
    const detail = 'This value is already blocked.'
    throw new AppError('conflict', { detail, words: { key: 'problem.already_blocked' } })
  }
  await noteOperatorAction(tx, actor, { action: 'block.create', subject: `${kind} ${value}`, note: reason }, now)
  return block
}

export async function deleteBlock(tx: Tx, actor: Actor, id: string, now: Date): Promise<void> {
  const block = found(await deleteBlockRow(tx, id))
  await noteOperatorAction(tx, actor, { action: 'block.delete', subject: `${block.kind} ${block.value}` }, now)
}

/** Returns the value to store, or adds a fault to `faults` if the value is invalid for its kind. */
function blockValue({ kind, value }: BlockBody, faults: BodyFault[]): string | undefined {
  const fault = (detail: string, words: Words = { key: `fault.block_${kind}` }) => {
    faults.push({ pointer: '#/value', code: 'invalid_format', detail, words })
    return undefined
  }
  if (kind === 'email_domain') return domainKey(value) ?? fault(forms.email_domain)
  if (kind === 'address') {
    const at = value.lastIndexOf('@')
    const isAddress = at > 0 && !/\s/.test(value) && domainKey(value.slice(at + 1)) !== undefined
    return isAddress ? addressKey(value) : fault(forms.address)
  }
  const network = parseNetwork(value)
  if (!network) return fault(forms.network)
  const [address, bits] = network
  const bitsMin = BITS_MIN[address.kind()]
  if (bits < bitsMin) {
    const words = { key: 'fault.block_too_large', values: { bits: bitsMin } } as const
    return fault(`A network must not be larger than /${bitsMin}.`, words)
  }
  const type = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
  return `${type.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`
}

/** Parses an IP address or a range in CIDR notation. An IPv4-mapped IPv6 address counts as IPv4. */
function parseNetwork(text: string): Network | undefined {
  const [, written, length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  if (written === undefined) return undefined
  if (!ipaddr.IPv4.isValidFourPartDecimal(written) && !ipaddr.IPv6.isValid(written)) return undefined
  const address = ipaddr.process(written)
  const all = address.kind() === 'ipv4' ? 32 : 128
  const isMapped = all === 32 && written.includes(':')
  const bits = length === undefined ? all : Number(length) - (isMapped ? 96 : 0)
  return bits >= 0 && bits <= all ? [address, bits] : undefined
}

const isIn = (address: Address, [network, bits]: Network): boolean =>
  address.kind() === network.kind() && address.match(network as ipaddr.IPv4, bits)

/** The blocked networks, cached in this process and refreshed from the database. */
export class NetworkBlocks {
  readonly #kit: Pick<Kit, 'addressOf' | 'clock' | 'database'>
  /**
   * Recognizes requests with a key from `ADMIN_API_KEY`. Network blocks do not apply to such requests, because the
   * operator must be able to lift any block.
   */
  readonly #isOperator: (request: IncomingMessage) => boolean
  #networks: readonly Network[] = []
  #known = ''
  /** Sequence numbers of the latest read that started, and of the latest read that was applied. */
  #begun = 0
  #taken = 0

  constructor(kit: Pick<Kit, 'addressOf' | 'clock' | 'database'>, isOperator: (request: IncomingMessage) => boolean) {
    this.#kit = kit
    this.#isOperator = isOperator
  }

  /** Reads the stored networks. Runs at startup, after changes, and once a second. */
  async refresh(): Promise<void> {
    const turn = ++this.#begun
    const { clock, database } = this.#kit
    const stored = await database.read((db) => listBlockedNetworks(db, clock.now()))
    // Ignores an earlier read that finishes late, because its data is older.
    if (turn < this.#taken) return
    this.#taken = turn
    const known = stored.join(' ')
    if (known === this.#known) return
    this.#known = known
    this.#networks = stored.map((value) => parseNetwork(value)!)
  }

  /** Returns whether a request is refused. Uses an arrow function, because it serves as a callback. */
  readonly refuses = (request: IncomingMessage): boolean => {
    if (this.#networks.length === 0) return false
    const address = this.#kit.addressOf(request)
    if (address === undefined || !this.#networks.some((network) => isIn(address, network))) return false
    return !this.#isOperator(request)
  }
}
