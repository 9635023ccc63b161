/**
 * `node bench/postings.ts FILE.ndjson[.gz] [OUT.ndjson]`: converts real postings to lines for `import jobs`. Keeps the
 * fields that the import accepts, renames two experience levels, and omits all other fields (sources, raw data).
 */
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readLines } from '../src/commands/lines.ts'
import { ImportedJobSchema } from '../src/features/jobs/index.ts'

const kept = Object.keys(ImportedJobSchema.properties)
/** Experience levels with a different name on the board. */
const levels: Readonly<Record<string, string>> = { director: 'executive', intern: 'entry' }

/** Converts a posting to a line of an import file. Missing fields stay absent. */
function importLine(posting: Record<string, unknown>): string {
  const job: Record<string, unknown> = {}
  for (const name of kept) {
    const value = posting[name]
    if (value !== null && value !== undefined) job[name] = value
  }
  const level = job.experience_level
  if (typeof level === 'string') job.experience_level = levels[level] ?? level
  return `${JSON.stringify(job)}\n`
}

async function* importLines(file: string): AsyncGenerator<string> {
  for await (const line of readLines(file)) {
    if ('refusal' in line) throw new Error(line.refusal)
    if (line.text.trim() !== '') yield importLine(JSON.parse(line.text))
  }
}

const [file, out] = process.argv.slice(2)
if (file === undefined) {
  console.error('Usage: node bench/postings.ts FILE.ndjson[.gz] [OUT.ndjson]')
  process.exit(2)
}
await pipeline(Readable.from(importLines(file)), out === undefined ? process.stdout : createWriteStream(out))
