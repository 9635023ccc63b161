/** Encodes uploaded pictures anew, which removes metadata and anything hidden in the file (decision 0093). */
import { validationFailed } from '../lib/errors.ts'
import { PICTURE_SIDE_MAX } from '../lib/pictures.ts'
import { Turns } from '../lib/turns.ts'

/** One picture at a time, because a decoded picture takes up to 64 MiB. Accounts take turns. */
const turns = new Turns({ atOnce: 1, waitingMax: 50, waitingMaxEach: 2 })

const TIMEOUT_S = 5

interface Encoding {
  /** The account whose turn it is. */
  account: string
  /** Maximum width and height of the result, in pixels. */
  side: number
  pointer: string
}

/** Returns the first frame of a picture as WebP. Throws `validation_failed` if the picture cannot be decoded. */
export async function encodePicture(bytes: Buffer, { account, side, pointer }: Encoding): Promise<Buffer> {
  return turns.take(account, async () => {
    // Loaded on first use, because most processes never decode a picture.
    const { default: sharp } = await import('sharp')
    sharp.cache(false)
    sharp.concurrency(1)
    try {
      return await sharp(bytes, { limitInputPixels: PICTURE_SIDE_MAX ** 2 })
        .timeout({ seconds: TIMEOUT_S })
        .autoOrient()
        .resize(side, side, { fit: 'inside', withoutEnlargement: true })
        .webp({ quality: 90 })
        .toBuffer()
    } catch {
      throw validationFailed([{ pointer, code: 'invalid_format', detail: 'The picture is damaged. Export it again.' }])
    }
  })
}
