/**
 * `node bench/duplicates.ts POSTINGS LABELS [--misses]`: measures the rule for copies (decision 0117) on labeled pairs.
 * POSTINGS has the input format of bench/postings.ts. Each line of LABELS has the IDs `a` and `b` of two postings, the
 * earlier one first, and a `label` given after reading both texts. `same` and `near` are copies:
 *
 * - `same`: company, title, location and text are equal, apart from case, punctuation, ornaments, URLs and email
 *   addresses.
 * - `near`: the posting was published again after edits, such as news of the company, other links or more openings.
 *   Company and title name the same job, at least one location is the same, and both texts have 400 characters or more.
 * - `different`: the title adds or drops a role, a level or a technology, no location is the same, or the text about
 *   the job was rewritten.
 *
 * Assumes that feeds created both postings, so one of them is folded if the rule considers them copies. A pair without
 * a common block counts as not folded. A third of the pairs, chosen by a hash of their IDs, is held out: tune
 * thresholds only on the others.
 */
import { createHash } from 'node:crypto'
import { parseArgs } from 'node:util'
import { readLines } from '../src/commands/lines.ts'
import { blockOf, compare, fingerprintOf, isCovered } from '../src/features/duplicates/duplicates.rule.ts'
import { UNSPECIFIED } from '../src/features/jobs/index.ts'
import { geocode } from '../src/geo/gazetteer.ts'

const LABELS = ['same', 'near', 'different'] as const

interface Posting {
  id: string
  title: string
  type: string | null
  company: string
  location: string
  description: string
  requirements: string[] | null
  benefits: string[] | null
}

interface Pair {
  a: string
  b: string
  label: (typeof LABELS)[number]
}

const { positionals, values: options } = parseArgs({ allowPositionals: true, options: { misses: { type: 'boolean' } } })
const [postingsFile, labelsFile] = positionals
if (postingsFile === undefined || labelsFile === undefined) {
  console.error('Usage: node bench/duplicates.ts POSTINGS LABELS [--misses]')
  process.exit(2)
}

async function* readJson<T>(file: string): AsyncGenerator<T> {
  for await (const line of readLines(file)) {
    if ('refusal' in line) throw new Error(line.refusal)
    if (line.text.trim() !== '') yield JSON.parse(line.text)
  }
}

const pairs = await Array.fromAsync(readJson<Pair>(labelsFile))
const labeled = new Set(pairs.flatMap(({ a, b }) => [a, b]))
const postings = new Map<string, Posting>()
for await (const posting of readJson<Posting>(postingsFile))
  if (labeled.has(posting.id)) postings.set(posting.id, posting)

function judge({ a, b }: Pair) {
  const [first, second] = [a, b].map((id) => {
    const posting = postings.get(id)!
    const job = {
      ...posting,
      type: posting.type ?? UNSPECIFIED,
      requirements: posting.requirements ?? [],
      benefits: posting.benefits ?? [],
    }
    return { block: blockOf(job), fingerprint: fingerprintOf(job), places: geocode([job.location]).places }
  }) as [Judged, Judged]
  const isCandidate = first.block === second.block
  const isAtShown = isCovered(first.places, second.places) || isCovered(second.places, first.places)
  const { kind, similarity } = compare(first.fingerprint, second.fingerprint)
  return {
    isFolded: isCandidate && kind !== undefined && isAtShown,
    isCandidate,
    isAtShown,
    similarity,
  }
}
interface Judged {
  block: number
  fingerprint: ReturnType<typeof fingerprintOf>
  places: number[] | null
}

const isHeldOut = ({ a, b }: Pair) => createHash('sha256').update(`${a}\0${b}`).digest()[0]! % 3 === 0
const judged = pairs.map((pair) => {
  const isCopy = pair.label !== 'different'
  return { ...pair, ...judge(pair), isCopy, isHeldOut: isHeldOut(pair) }
})

const rounded = (part: number, whole: number) => (whole === 0 ? 'none' : (part / whole).toFixed(3))

for (const [name, set] of [
  ['tuned on', judged.filter((pair) => !pair.isHeldOut)],
  ['held out', judged.filter((pair) => pair.isHeldOut)],
  ['all', judged],
] as const) {
  const folded = set.filter(({ isFolded }) => isFolded)
  const copies = set.filter(({ isCopy }) => isCopy)
  const right = folded.filter(({ isCopy }) => isCopy).length
  const compared = copies.filter(({ isCandidate }) => isCandidate).length
  const covered = copies.filter(({ isAtShown }) => isAtShown).length
  console.log(
    `${name}: ${set.length} pairs, precision ${rounded(right, folded.length)}, recall ${rounded(right, copies.length)}`,
  )
  console.log(`  copies with a common block: ${compared} of ${copies.length}`)
  console.log(`  copies at locations of the other posting: ${covered}, of which recall ${rounded(right, covered)}`)
  for (const label of LABELS) {
    const of = set.filter((pair) => pair.label === label)
    const count = of.filter(({ isFolded }) => isFolded).length
    console.log(`  ${label}: ${count} folded, ${of.length - count} not`)
  }
}
if (options.misses) {
  for (const { a, b, label, isCopy, isFolded, isCandidate, similarity, isHeldOut } of judged) {
    if (isHeldOut || isFolded === isCopy) continue
    console.log(
      `${a} ${b} ${label} ${isFolded ? 'folded' : isCandidate ? 'not folded' : 'no block'} ${similarity.toFixed(2)}`,
    )
  }
}
