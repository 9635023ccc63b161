/**
 * `node bench/places.ts FILE.ndjson[.gz] [MISSES]`: measures the quality of geocoding. Each line has `location` and,
 * where known, `geo_reference` {lat, lon, address}. A posting is correct if one of its geocoded points is within 25
 * miles of the reference, as in a radius search. Also prints the number of points per posting.
 */

import { readLines } from '../src/commands/lines.ts'
import { resolvePlaces } from '../src/geo/gazetteer.ts'
import { distanceMiles } from '../src/lib/distance.ts'

const RIGHT_MILES = 25

interface Posting {
  location: string | null
  geo_reference?: { lat: number; lon: number; address: string } | null
}

const [file, missesText] = process.argv.slice(2)
if (file === undefined) {
  console.error('Usage: node bench/places.ts FILE.ndjson[.gz] [MISSES]')
  process.exit(2)
}

const started = performance.now()
resolvePlaces('')
const loadedMs = performance.now() - started

const postings: Required<Posting>[] = []
for await (const line of readLines(file)) {
  if ('refusal' in line) throw new Error(line.refusal)
  if (line.text.trim() === '') continue
  const posting = JSON.parse(line.text) as Posting
  if (posting.geo_reference) postings.push(posting as Required<Posting>)
}

const resolvingFrom = performance.now()
const resolved = postings.map((posting) => {
  const { lat, lon, address } = posting.geo_reference!
  const places = resolvePlaces(posting.location ?? '')
  const miles = places.map((place) => distanceMiles([place.lat, place.lon], lat, lon))
  return { location: posting.location, address, places, miles }
})
const perPostingUs = ((performance.now() - resolvingFrom) * 1000) / postings.length

const placed = resolved.filter(({ places }) => places.length > 0)
const isRight = ({ miles }: { miles: number[] }) => Math.min(...miles) <= RIGHT_MILES
const single = placed.filter(({ places }) => places.length === 1)
const share = (part: number, whole: number) => `${part} (${((part / whole) * 100).toFixed(2)} %)`
console.log(`postings with a reference       ${postings.length}`)
console.log(`resolved                        ${share(placed.length, postings.length)}`)
console.log(`  within ${RIGHT_MILES} miles               ${share(placed.filter(isRight).length, placed.length)}`)
console.log(`with a single place             ${share(single.length, placed.length)}`)
console.log(`  within ${RIGHT_MILES} miles               ${share(single.filter(isRight).length, single.length)}`)
console.log(
  `places per resolved posting     ${(placed.reduce((sum, { places }) => sum + places.length, 0) / placed.length).toFixed(2)}`,
)
console.log(`opening the gazetteer           ${loadedMs.toFixed(0)} ms`)
console.log(`resolving a location            ${perPostingUs.toFixed(0)} µs`)

const worst = new Map<string, { count: number; text: string }>()
for (const one of resolved) {
  if (one.places.length > 0 && isRight(one)) continue
  const text =
    one.places.length === 0
      ? 'not resolved'
      : one.places.map(({ name }, i) => `${name} (${one.miles[i]!.toFixed(0)} mi)`).join(', ')
  const key = `${one.location} → ${text}; reference: ${one.address}`
  worst.set(key, { count: (worst.get(key)?.count ?? 0) + 1, text: key })
}
const misses = [...worst.values()].sort((a, b) => b.count - a.count).slice(0, Number(missesText ?? 20))
for (const { count, text } of misses) console.log(`${String(count).padStart(4)} × ${text}`)
