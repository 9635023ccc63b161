/** Creates a self-signed X.509 certificate for this machine. Requires no external tools. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { DAY_MS } from '../lib/time.ts'

type Der = Uint8Array

function der(tag: number, ...parts: Der[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  // All lengths in these certificates fit into two bytes.
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: Der[]) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const utcTime = (at: Date) => der(0x17, Buffer.from(`${at.toISOString().replace(/\D/g, '').slice(2, 14)}Z`))
const bitString = (bytes: Der) => der(0x03, Buffer.from([0]), bytes)
const extension = (id: string, value: Der) => sequence(oid(id), der(0x04, value))
const name = (text: string) => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(text)))))

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'))
const DAYS = 365

/** Returns a new key and certificate for 127.0.0.1 in PEM. */
export function makeLoopbackCertificate(now: Date): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = name('Webhook listener')
  const serial = randomBytes(16)
  // X.509 requires a positive serial number, and DER forbids redundant leading zero bytes.
  serial[0] = (serial[0]! & 0x3f) | 0x40
  const end = new Date(now.getTime() + DAYS * DAY_MS)
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ECDSA_WITH_SHA256,
    subject,
    sequence(utcTime(now), utcTime(end)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension('551d11', sequence(der(0x87, Buffer.from([127, 0, 0, 1])))))),
  )
  const bytes = sequence(content, ECDSA_WITH_SHA256, bitString(sign('sha256', content, privateKey)))
  const lines = bytes.toString('base64').replace(/.{64}(?!$)/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}
