/** Re-encodes uploaded pictures, which removes metadata and any hidden content (decision 0093). */
import { validationFailed } from '../lib/errors.ts'
import { checkPicture, PICTURE_SIDE_MAX } from '../lib/pictures.ts'
import { Turns } from '../lib/turns.ts'

/** Processes one picture at a time, because a decoded picture takes up to 64 MiB. Accounts take turns. */
const turns = new Turns({ atOnce: 1, waitingMax: 50, waitingMaxEach: 2 })

const TIMEOUT_S = 5

/** Details of an uploaded picture: the account, the media type in the request, and the member for reporting faults. */
export interface SentPicture {
  /** The account whose turn the picture waits for. */
  account: string
  declared: string
  pointer: string
}

interface Encoding {
  /** Maximum width and height of the result, in pixels. */
  side: number
  type: 'png' | 'webp'
}

/**
 * Checks an uploaded picture and re-encodes its first frame. Throws if the picture is refused or cannot be decoded, or
 * if too much work is waiting.
 */
export async function encodePicture(bytes: Buffer, sent: SentPicture, { side, type }: Encoding): Promise<Buffer> {
  checkPicture(bytes, sent)
  return turns.take(sent.account, async () => {
    const sharp = await loadSharp()
    try {
      return await sharp(bytes, { limitInputPixels: PICTURE_SIDE_MAX ** 2 })
        .timeout({ seconds: TIMEOUT_S })
        .autoOrient()
        .resize(side, side, { fit: 'inside', withoutEnlargement: true })
        .toFormat(type, { quality: type === 'webp' ? 90 : 100 })
        .toBuffer()
    } catch {
      const detail = 'The picture is damaged. Export it again.'
      const words = { key: 'fault.picture_damaged' } as const
      throw validationFailed([{ pointer: sent.pointer, code: 'invalid_format', detail, words }])
    }
  })
}

/** Loads sharp on first use, because most processes never need it. */
export async function loadSharp() {
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}
