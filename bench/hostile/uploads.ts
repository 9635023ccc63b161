/** Uploads that exhaust memory, and files that take a long time to read. */
import { setTimeout as pause } from 'node:timers/promises'
import { deflateSync } from 'node:zlib'
import { type Answer, type Attack, countStatuses, dataOf, send, type Target } from './attack.ts'

const RESUME = '/v1/candidates/resume'
const UPLOADS = 96
const UPLOAD_BYTES = 5_000_000
/** Maximum duration of an upload by another account, in milliseconds. Without protection, it took 14 s. */
const WAIT_MAX_MS = 8_000
/**
 * Maximum growth of resident memory. Uploads may reserve 112 MiB. The rest of this limit allows for uncollected garbage
 * and the worker that extracts text. Without protection, memory grew by 1 GB.
 */
const GROWTH_MAX_BYTES = 600 * 1_048_576
const SLOW_FILES = 10
/** Allows for two files at 5 s each and the task's interval. Without protection, ten files took 100 s. */
const EXTRACTION_MAX_MS = 20_000

let others = 0

/** Registers a candidate other than the attacker. */
async function otherCandidate(target: Target): Promise<string> {
  const body = { first_name: 'Another', last_name: 'Candidate', email: `other-${++others}-${Date.now()}@mail.example` }
  return dataOf(await send(target, 'POST', '/v1/candidates', { key: target.keys.admin, body })).api_key!
}

const bodyOf = (file: Buffer): string => JSON.stringify({ filename: 'cv', content_base64: file.toString('base64') })
const uploadOf = (target: Target, key: string, file: Buffer): Promise<Answer> =>
  send(target, 'POST', RESUME, { key, body: bodyOf(file) })

async function metricsOf(target: Target): Promise<(name: string) => number> {
  const { text } = await send(target, 'GET', '/metrics', { key: target.keys.admin })
  return (name) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length) ?? Number.NaN,
    )
}

/** Returns a PDF with this text (or this content stream) on each page. */
function pdfOf(text: string, pages = 1, content = Buffer.from(`BT /F1 12 Tf 72 720 Td (${text}) Tj ET`)): Buffer {
  const stream = deflateSync(content)
  const kids = Array.from({ length: pages }, (_, index) => `${index + 5} 0 R`)
  const page =
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 3 0 R /Resources << /Font << /F1 4 0 R >> >> >>'
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${pages} >>`,
    `<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n${stream.toString('latin1')}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...kids.map(() => page),
  ]
  const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('')
  // The file has no cross-reference table, so a reader must search for the objects.
  return Buffer.from(`%PDF-1.7\n${body}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\n%%EOF\n`, 'latin1')
}

/** Returns a small PDF that takes minutes to read: a thousand pages with 800,000 invisible operators each. */
const slowPdf = () => pdfOf('', 1_000, Buffer.from('q Q\n'.repeat(400_000)))

export const attacks: Attack[] = [
  {
    name: '96 concurrent uploads of one account',
    finding: 'A4',
    async run(target) {
      const file = Buffer.alloc(UPLOAD_BYTES, 'Engineer of batteries and vans.\n')
      // Encodes the body only once, because this work would slow down the service on the same machine.
      const body = bodyOf(file)
      const floodOnce = () =>
        Promise.all(
          Array.from({ length: UPLOADS }, () => send(target, 'POST', RESUME, { key: target.keys.candidate, body })),
        )
      if (target.isBeside) return { held: true, figures: countStatuses(await floodOnce()) }
      const other = await otherCandidate(target)
      const memory = async () => (await metricsOf(target))('process_resident_memory_bytes')
      // Measures after a first upload, because that upload increases memory permanently.
      await uploadOf(target, target.keys.candidate, file)
      const before = await memory()
      let isOver = false
      let peak = before
      const flood = floodOnce()
      const watch = (async () => {
        while (!isOver && !target.signal.aborted) {
          peak = Math.max(peak, (await memory()) || 0)
          await pause(100)
        }
      })()
      const upload = await uploadOf(target, other, file)
      const answers = await flood
      isOver = true
      await watch
      const mib = ((peak - before) / 1_048_576).toFixed(0)
      return {
        held: upload.status === 201 && upload.ms < WAIT_MAX_MS && peak - before < GROWTH_MAX_BYTES,
        figures: `${countStatuses(answers)}; upload of another account: ${upload.status} after ${upload.ms.toFixed(0)} ms; memory +${mib} MiB`,
      }
    },
  },
  {
    name: 'ten slow PDFs of one account',
    finding: 'A4',
    async run(target) {
      const waitingOf = async () => (await metricsOf(target))('task_waiting{task="resume-extraction"}')
      const slow = slowPdf()
      const uploads: Answer[] = []
      for (let n = 0; n < SLOW_FILES; n++) uploads.push(await uploadOf(target, target.keys.candidate, slow))
      if (target.isBeside) return { held: true, figures: countStatuses(uploads) }
      const other = await otherCandidate(target)
      const word = `Xylotribology${others}`
      const profile = { first_name: 'Another', last_name: 'Candidate', is_searchable: true }
      await send(target, 'PUT', '/v1/candidates/profile', { key: other, body: profile })
      const begun = performance.now()
      const upload = await uploadOf(target, other, pdfOf(word))
      let readMs = Number.NaN
      while (Number.isNaN(readMs) && performance.now() - begun < 4 * EXTRACTION_MAX_MS && !target.signal.aborted) {
        const list = await send(target, 'GET', `/v1/candidates?search=${word}`, { key: target.keys.admin })
        if (list.status === 200 && dataOf<unknown[]>(list).length > 0) readMs = performance.now() - begun
        else await pause(250)
      }
      const waiting = await waitingOf()
      const found = Number.isNaN(readMs) ? 'not found' : `found after ${(readMs / 1_000).toFixed(1)} s`
      return {
        held: upload.status === 201 && readMs < EXTRACTION_MAX_MS,
        figures: `${countStatuses(uploads)}; another account's resume was ${found}, with ${waiting} in the backlog`,
      }
    },
  },
]
