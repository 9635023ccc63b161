/** Detects the type and size of a picture from its bytes, without decoding pixels. */

import { AppError, validationFailed, type Words } from './errors.ts'

export const pictureTypes = { png: 'image/png', jpeg: 'image/jpeg', webp: 'image/webp' } as const
export type PictureType = keyof typeof pictureTypes

export interface Picture {
  type: PictureType
  /** In pixels. Undefined if the file is recognizably cut off or malformed. */
  size: { width: number; height: number } | undefined
}

/** Returns the type and size of a picture, or undefined if it is not a PNG, JPEG or WebP file. */
export function readPicture(bytes: Buffer): Picture | undefined {
  const start = bytes.toString('latin1', 0, 12)
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return { type: 'png', size: sizeOfPng(bytes) }
  if (start.startsWith('\xff\xd8\xff')) return { type: 'jpeg', size: sizeOfJpeg(bytes) }
  if (/^RIFF[\s\S]{4}WEBP$/.test(start)) return { type: 'webp', size: sizeOfWebp(bytes) }
  return undefined
}

/** Maximum width and height of an uploaded picture, in pixels. A decoded picture of this size takes 64 MiB. */
export const PICTURE_SIDE_MAX = 4_096

/**
 * Checks an uploaded picture. Throws `unsupported_media_type` if the file is not a picture of a supported type, or if
 * the request declares a different picture type. Throws `validation_failed` if the picture is malformed or too large.
 */
export function checkPicture(bytes: Buffer, { declared, pointer }: { declared: string; pointer: string }): void {
  const picture = readPicture(bytes)
  if (!picture) {
    const detail = 'The picture must be a PNG, JPEG or WebP file.'
    throw new AppError('unsupported_media_type', { detail, words: { key: 'fault.picture_type' } })
  }
  const type = pictureTypes[picture.type]
  if (declared.startsWith('image/') && declared !== type) {
    throw new AppError('unsupported_media_type', {
      detail: `The file is ${type}, but the request declares ${declared}.`,
    })
  }
  const fault = (code: string, detail: string, words: Words) => validationFailed([{ pointer, code, detail, words }])
  if (!picture.size) {
    throw fault('invalid_format', 'The picture is damaged. Export it again.', { key: 'fault.picture_damaged' })
  }
  if (Math.max(picture.size.width, picture.size.height) > PICTURE_SIDE_MAX) {
    const words = { key: 'fault.picture_size', values: { pixels: PICTURE_SIDE_MAX } } as const
    throw fault('too_large', `The picture must be at most ${PICTURE_SIDE_MAX} pixels in width and height.`, words)
  }
}

type Size = Picture['size']

function sizeOfPng(bytes: Buffer): Size {
  const isWhole = bytes.length >= 45 && bytes.toString('latin1', 12, 16) === 'IHDR' && bytes.readUInt32BE(8) === 13
  // Every complete file ends with an empty IEND chunk.
  if (!isWhole || bytes.lastIndexOf('IEND') < bytes.length - 8) return undefined
  return sizeOf(bytes.readUInt32BE(16), bytes.readUInt32BE(20))
}

/** Walks the segments until the frame header (ITU-T T.81, B.1.1). */
function sizeOfJpeg(bytes: Buffer): Size {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1]!
    // Skips padding, and markers without a length.
    if (marker === 0xff) at++
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2
    else {
      const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
      if (isFrame) return sizeOf(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5))
      // A file whose image data begins before the frame header is malformed.
      if (marker === 0xda || marker === 0xd9) return undefined
      const length = bytes.readUInt16BE(at + 2)
      if (length < 2) return undefined
      at += 2 + length
    }
  }
  return undefined
}

/** Reads the size from the first chunk (RFC 9649). */
function sizeOfWebp(bytes: Buffer): Size {
  // The length in the header must not exceed the file's length.
  if (bytes.length < 30 || bytes.readUInt32LE(4) + 8 > bytes.length) return undefined
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      if (bytes.readUIntBE(23, 3) !== 0x9d012a) return undefined
      return sizeOf(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff)
    case 'VP8L': {
      if (bytes[20] !== 0x2f) return undefined
      const bits = bytes.readUInt32LE(21)
      return sizeOf((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
    }
    case 'VP8X':
      return sizeOf(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1)
    default:
      return undefined
  }
}

const sizeOf = (width: number, height: number): Size => (width > 0 && height > 0 ? { width, height } : undefined)
