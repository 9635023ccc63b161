/** A DNS server on loopback. It responds to queries for TXT and A records over UDP. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'

const TYPES = { A: 1, TXT: 16 }
const NO_SUCH_NAME = 3

export class NameServer {
  /** The TXT records by name. TXT queries for any other name get NXDOMAIN. */
  readonly texts = new Map<string, readonly string[]>()
  /** The IPv4 addresses by name. All other names in `.example` have the address 127.0.0.1. */
  readonly addresses = new Map<string, string>()
  /** The names in all received queries. */
  readonly asked: string[] = []
  /** Whether the server leaves all queries without a response. */
  isSilent = false
  readonly #socket = createSocket('udp4')

  /** Starts the server and returns its address, for `setServers`. */
  async start(): Promise<string> {
    this.#socket.on('message', (question, { address, port }) => {
      const answer = this.#answer(question)
      if (!this.isSilent) this.#socket.send(answer, port, address)
    })
    this.#socket.bind(0, '127.0.0.1')
    await once(this.#socket, 'listening')
    return `127.0.0.1:${this.#socket.address().port}`
  }

  stop(): void {
    this.#socket.close()
  }

  #answer(question: Buffer): Buffer {
    const labels: string[] = []
    let at = 12
    for (let length = question[at]!; length > 0; length = question[at]!) {
      labels.push(question.toString('latin1', at + 1, at + 1 + length))
      at += 1 + length
    }
    const name = labels.join('.').toLowerCase()
    const type = question.readUInt16BE(at + 1)
    this.asked.push(name)
    const values = this.texts.get(name)
    const records =
      type === TYPES.TXT
        ? (values ?? []).map(textData)
        : type === TYPES.A && name.endsWith('.example')
          ? [Buffer.from((this.addresses.get(name) ?? '127.0.0.1').split('.').map(Number))]
          : []
    const header = Buffer.alloc(12)
    question.copy(header, 0, 0, 2)
    // The flags of a response to a recursive query.
    header.writeUInt16BE(0x8180 | (type === TYPES.TXT && !values ? NO_SUCH_NAME : 0), 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(records.length, 6)
    return Buffer.concat([header, question.subarray(12, at + 5), ...records.map((data) => record(type, data))])
  }
}

/** Splits a text into strings of at most 255 bytes, each preceded by its length. */
function textData(text: string): Buffer {
  const bytes = Buffer.from(text)
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += 255) {
    const part = bytes.subarray(at, at + 255)
    parts.push(Buffer.from([part.length]), part)
  }
  return Buffer.concat(parts)
}

/** Returns a record for the name in the question, which is at byte 12. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, 0])
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}
