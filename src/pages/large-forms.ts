/** Preserves the other fields of a form whose file is too large. */
import type { Readable } from 'node:stream'
import { AppError } from '../lib/errors.ts'
import type { FieldValue, FormFields } from './forms.ts'

/** Maximum size of a body that is read to the end, in bytes. */
const SENT_MAX = 67_108_864

/**
 * Reads a body. If the body is too large, keeps only its start and its end. The omitted middle belongs to the large
 * file, so no other field is lost. Reads the body to its end, because browsers show a response only after they have
 * sent the whole body.
 */
export async function readCut(payload: Readable, bytesMax: number): Promise<{ body: Buffer; isCut: boolean }> {
  const half = bytesMax / 2
  const [head, tail]: [Buffer[], Buffer[]] = [[], []]
  let [headSize, tailSize, size] = [0, 0, 0]
  try {
    for await (const chunk of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > SENT_MAX) throw new AppError('payload_too_large', { headers: { connection: 'close' } })
      if (headSize < half) {
        head.push(chunk)
        headSize += chunk.length
        continue
      }
      tail.push(chunk)
      tailSize += chunk.length
      while (tailSize - tail[0]!.length >= half) tailSize -= tail.shift()!.length
    }
  } catch (error) {
    // The connection ended early.
    throw error instanceof AppError ? error : new AppError('bad_request', { cause: error })
  }
  return { body: Buffer.concat([...head, ...tail]), isCut: size > headSize + tailSize || size > bytesMax }
}

/** Returns a form's fields without the large file, and records the name of its field. */
export function cutForm(fields: FormFields): FormFields {
  const [name] = [...fields].find(([, values]) => values.some((value) => value instanceof File)) ?? []
  if (name === undefined) throw new AppError('payload_too_large')
  const rest = [...fields].filter(([other]) => other !== name)
  return new CutForm(rest, name)
}

export class CutForm extends Map<string, readonly FieldValue[]> {
  readonly tooLarge: string

  constructor(fields: Iterable<[string, readonly FieldValue[]]>, tooLarge: string) {
    super(fields)
    this.tooLarge = tooLarge
  }
}
