import { createSocket, type Socket } from 'node:dgram'
import dns from 'node:dns'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { dnsLookup } from '../../src/features/webhooks/webhooks.guard.ts'

/** A DNS server that knows names with the first label `both` or `v4`, denies `none`, and ignores all other names. */
let server: Socket
let servers: string[]
let asked: string[]

const TYPES = { A: 1, AAAA: 28 }
const RECORDS: Record<number, Buffer> = {
  [TYPES.A]: Buffer.from([8, 8, 4, 4]),
  [TYPES.AAAA]: Buffer.from('20014860486000000000000000008888', 'hex'),
}

beforeEach(async () => {
  asked = []
  server = createSocket('udp4')
  server.on('message', (query, { port, address }) => {
    const nameEnd = query.indexOf(0, 12)
    const label = query.toString('latin1', 13, 13 + query[12]!)
    const type = query.readUInt16BE(nameEnd + 1)
    asked.push(label)
    const isKnown = label === 'both' || label === 'v4'
    if (!isKnown && label !== 'none') return
    const record = isKnown && (label === 'both' || type === TYPES.A) ? RECORDS[type]! : undefined
    const head = Buffer.from(query.subarray(0, nameEnd + 5))
    head.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2)
    head.writeUInt16BE(record ? 1 : 0, 6)
    head.fill(0, 8, 12)
    const answer = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, record?.length ?? 0])
    server.send(record ? Buffer.concat([head, answer, record]) : head, port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  servers = [`127.0.0.1:${server.address().port}`]
})

afterEach(() => {
  vi.restoreAllMocks()
  server.close()
})

test('a lookup finds the addresses of both families, of one family, or none', async () => {
  const lookup = dnsLookup(servers)
  const v4 = { address: '8.8.4.4', family: 4 }
  expect(await lookup('both.hook.example')).toEqual([v4, { address: '2001:4860:4860::8888', family: 6 }])
  expect(await lookup('v4.hook.example')).toEqual([v4])
  expect(await lookup('none.hook.example')).toEqual([])
})

test('a hundred unanswered lookups delay neither other lookups nor the thread pool', async () => {
  const bySystem = vi.spyOn(dns.promises, 'lookup')
  const lookup = dnsLookup(servers)
  const silent = Array.from({ length: 100 }, (_, n) => lookup(`silent-${n}.hook.example`))
  const ended: string[] = []
  const isOver = Promise.all(silent).then((found) => {
    ended.push('silent')
    return found
  })
  await lookup('both.hook.example')
  await readFile(import.meta.filename)
  await dns.promises.lookup('127.0.0.1')
  ended.push('others')
  // The unanswered lookups time out.
  expect(new Set((await isOver).map(({ length }) => length))).toEqual(new Set([0]))
  expect([ended, bySystem.mock.calls.length]).toEqual([['others', 'silent'], 1])
}, 20_000)
