/**
 * Iterators of the event stream. An iterator names the last event that its reader has passed, even if the reader may
 * not see that event. Iterators are encrypted, so that they do not reveal the number of events on the board.
 */
import { createCipheriv, createDecipheriv, createHmac, hash } from 'node:crypto'
import type { Place } from './events.queries.ts'

/** An event's position, and a prefix of the hash of its ID. */
interface Iterator {
  position: number
  check: string
}

/** The start of the stream, which names no event. */
const START: Place = { position: 0, event_id: '' }
const POSITION_BYTES = 6
const CHECK_BYTES = 8
const BLOCK_BYTES = 16

export const checkOf = (eventId: string): string => hash('sha256', eventId).slice(0, 2 * CHECK_BYTES)

export class Iterators {
  readonly #key: Buffer

  constructor(secret: Uint8Array) {
    this.#key = createHmac('sha256', secret).update('event-iterator').digest().subarray(0, BLOCK_BYTES)
  }

  /** Encrypts a position. ECB mode is safe for a single block: it reveals only whether two iterators are equal. */
  encode({ position, event_id: eventId }: Place = START): string {
    const block = Buffer.alloc(BLOCK_BYTES)
    block.writeUIntBE(position, 0, POSITION_BYTES)
    block.write(checkOf(eventId), POSITION_BYTES, 'hex')
    const cipher = createCipheriv('aes-128-ecb', this.#key, null).setAutoPadding(false)
    return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url')
  }

  /** Decodes an iterator. Returns undefined for almost every text that this service did not create. */
  decode(text: string): Iterator | undefined {
    const bytes = Buffer.from(text, 'base64url')
    if (bytes.length !== BLOCK_BYTES || bytes.toString('base64url') !== text) return undefined
    const decipher = createDecipheriv('aes-128-ecb', this.#key, null).setAutoPadding(false)
    const block = Buffer.concat([decipher.update(bytes), decipher.final()])
    // One in 65,536 forged blocks has these zeros by chance. Such a block names no event.
    if (block.readUInt16BE(POSITION_BYTES + CHECK_BYTES) !== 0) return undefined
    return {
      position: block.readUIntBE(0, POSITION_BYTES),
      check: block.toString('hex', POSITION_BYTES, POSITION_BYTES + CHECK_BYTES),
    }
  }
}
