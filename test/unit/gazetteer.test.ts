import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { packGazetteer } from '../../scripts/pack-gazetteer.ts'
import {
  areasNamed,
  areasOf,
  countryOf,
  findNamesakes,
  geocode,
  pointsOf,
  resolvePlace,
  resolvePlaces,
} from '../../src/geo/gazetteer.ts'
import { Gazetteer } from '../../src/geo/gazetteer-file.ts'
import { distanceMiles } from '../../src/lib/distance.ts'

/** Coordinates of places by short name, accurate to about a hundredth of a degree. */
const known = {
  sanFrancisco: [37.77, -122.42],
  mountainView: [37.39, -122.08],
  newYork: [40.71, -74.01],
  boston: [42.36, -71.06],
  cambridgeMa: [42.37, -71.11],
  portlandOr: [45.52, -122.68],
  seattle: [47.61, -122.33],
  vancouverWa: [45.64, -122.66],
  vancouverBc: [49.25, -123.12],
  washington: [38.9, -77.04],
  wilmingtonDe: [39.75, -75.55],
  ontarioCa: [34.06, -117.65],
  columbusOh: [39.96, -83.0],
  stLouis: [38.63, -90.2],
  losAngeles: [34.05, -118.24],
  newOrleans: [29.95, -90.08],
  dublin: [53.33, -6.25],
  london: [51.51, -0.13],
  londonOn: [42.98, -81.23],
  manchester: [53.48, -2.24],
  york: [53.96, -1.08],
  berlin: [52.52, 13.41],
  munich: [48.14, 11.58],
  cologne: [50.93, 6.95],
  gothenburg: [57.71, 11.97],
  geneva: [46.2, 6.15],
  zurich: [47.37, 8.55],
  singapore: [1.29, 103.85],
  tokyo: [35.69, 139.69],
  moscow: [55.75, 37.62],
  saoPaulo: [-23.55, -46.64],
} as const

function expectPlaces(location: string, ...names: (keyof typeof known)[]) {
  const places = resolvePlaces(location)
  const far = names.filter(
    (name) =>
      distanceMiles([...known[name]], places[names.indexOf(name)]?.lat ?? 90, places[names.indexOf(name)]?.lon ?? 0) >
      15,
  )
  expect({ location, count: places.length, far }).toEqual({ location, count: names.length, far: [] })
}

test('a row has at most 100 points, each with a latitude and a longitude', () => {
  const locations = Array.from(
    { length: 50 },
    (_, n) => `Austin, TX ${78_701 + n}; Houston, TX ${77_002 + n}; Dallas, TX ${75_201 + n}`,
  )
  expect(geocode(locations).places).toHaveLength(200)
})

describe("a location's geocoded points", () => {
  test.each([
    ['San Francisco, CA', 'sanFrancisco'],
    ['SAN FRANCISCO', 'sanFrancisco'],
    ['San Francisco, CA 94107', 'sanFrancisco'],
    ['94107', 'sanFrancisco'],
    ['94107-1234', 'sanFrancisco'],
    ['San Francisco Bay Area', 'sanFrancisco'],
    ['SF', 'sanFrancisco'],
    ['1600 Example Parkway, Mountain View, CA 94043, USA', 'mountainView'],
    ['NYC', 'newYork'],
    ['New York, New York', 'newYork'],
    ['New York, USA', 'newYork'],
    ['Greater Boston Area (hybrid)', 'boston'],
    ['Portland, Or.', 'portlandOr'],
    ['Portland OR', 'portlandOr'],
    ['Portland, OR or Remote', 'portlandOr'],
    ['Seattle, Washington', 'seattle'],
    ['Vancouver, WA', 'vancouverWa'],
    ['Vancouver, CA', 'vancouverBc'],
    ['Washington, D.C.', 'washington'],
    ['Wilmington, DE', 'wilmingtonDe'],
    ['Berlin, DE', 'berlin'],
    ['Ontario, CA', 'ontarioCa'],
    ['Columbus in Ohio', 'columbusOh'],
    ['Saint Louis', 'stLouis'],
    ['LA', 'losAngeles'],
    ['New Orleans, LA', 'newOrleans'],
    ['London, Ontario', 'londonOn'],
    ['Munich, Bavaria, Germany', 'munich'],
    ['München', 'munich'],
    ['D-80331 München', 'munich'],
    ['Köln', 'cologne'],
    ['Cologne', 'cologne'],
    ['Göteborg', 'gothenburg'],
    ['Gothenburg, Sweden', 'gothenburg'],
    ['Geneva, Switzerland', 'geneva'],
    ['Switzerland, Zurich', 'zurich'],
    ['Singapore', 'singapore'],
    ['東京', 'tokyo'],
    ['東京都千代田区', 'tokyo'],
    ['Москва', 'moscow'],
    ['São Paulo, Brazil', 'saoPaulo'],
    ['10115 Berlin (onsite)', 'berlin'],
    ['830 Milwaukee Ave, Boston, MA', 'boston'],
    ['Relocation to Berlin https://jobs.example.com/boston', 'berlin'],
  ] as const)('%s', (location, name) => expectPlaces(location, name))

  test('include every city that the location names', () => {
    expectPlaces('Berlin / Munich or London', 'berlin', 'munich', 'london')
    expectPlaces('Boston, New York and Los Angeles', 'boston', 'newYork', 'losAngeles')
    expectPlaces('PORTLAND OR SEATTLE', 'portlandOr', 'seattle')
    expectPlaces('London, UK; Boston, MA, USA', 'london', 'boston')
  })

  test('depend on the neighboring names', () => {
    expectPlaces('Boston/Cambridge, MA', 'boston', 'cambridgeMa')
    expectPlaces('Cambridge/Boston, MA', 'cambridgeMa', 'boston')
    expectPlaces('York or Manchester, UK', 'york', 'manchester')
    expectPlaces('Dublin / San Francisco, CA', 'dublin', 'sanFrancisco')
  })

  test.each([
    ...[
      'Remote',
      'Remote (US only)',
      'Remote (EU)',
      'Anywhere',
      'Europe',
      'Germany',
      'UK',
      'Texas',
      'Georgia, USA',
      'Ontario, Canada',
    ],
    ...['Mobile developer', 'Home office', 'Senior Java Engineer, Data', 'Nowhereville', '', ' ', ',', '00000', '🙂'],
  ])('do not exist for %j', (location) => {
    expect(resolvePlaces(location)).toEqual([])
    expect(resolvePlace(location)).toBeUndefined()
    expect(pointsOf(location)).toEqual([])
  })

  test('are at most 20 valid coordinates for any text', () => {
    const word = fc.constantFrom(
      'Berlin',
      'Portland',
      'OR',
      'or',
      ',',
      '/',
      '(',
      'CA',
      'Georgia',
      'USA',
      '94107',
      'St.',
      "Coeur d'Alene",
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.array(word, { maxLength: 60 }).map((words) => words.join(' ')),
    )
    fc.assert(
      fc.property(text, (location) => {
        const places = resolvePlaces(location)
        expect(places.length).toBeLessThanOrEqual(20)
        for (const { lat, lon } of places) {
          expect(Math.abs(lat)).toBeLessThanOrEqual(90)
          expect(Math.abs(lon)).toBeLessThanOrEqual(180)
        }
      }),
    )
  })
})

describe('the gazetteer file', () => {
  const place = (name: string, region: string, population: number, names: [string, boolean][]) => ({
    ...{ name, region, population, lat: population / 1_000, lon: -population / 1_000 },
    names: names.map(([name, isMain]) => ({ name, isMain })),
  })
  const file = packGazetteer({
    places: [
      place('Ähtown', 'DE.01', 900, [['ahtown', true]]),
      place('Otherham', 'GB.ENG', 30_000, [
        ['otherham', true],
        ['ahtown', false],
        ['馬', false],
      ]),
      place('Ahtown', 'US.OR', 2_000, [['ahtown', true]]),
    ],
    zips: [
      { code: 10_001, lat: 40.75, lon: -73.99 },
      { code: 501, lat: 40.8132, lon: -73.0476 },
    ],
    regions: { or: ['US.OR'], georgia: ['GE', 'US.GA'] },
  })

  test('returns its entries, the most likely first, whether or not its bytes are aligned', () => {
    const shifted = new Uint8Array(file.length + 3)
    shifted.set(file, 3)
    for (const bytes of [file, shifted.subarray(3)]) {
      const gazetteer = new Gazetteer(bytes)
      const found = gazetteer.find('ahtown')
      expect(found.map(({ place }) => gazetteer.place(place).name)).toEqual(['Ahtown', 'Otherham', 'Ähtown'])
      expect(found.map(({ place }) => gazetteer.regionOf(place))).toEqual(['US.OR', 'GB.ENG', 'DE.01'])
      expect(found.map(({ population, score, isMain }) => [population, score, isMain])).toEqual([
        [2_000, 2_000, true],
        [30_000, 1_000, false],
        [900, 900, true],
      ])
      expect(gazetteer.place(gazetteer.find('馬')[0]!.place)).toEqual({ name: 'Otherham', lat: 30, lon: -30 })
      expect([gazetteer.has('otherham'), gazetteer.has('other'), gazetteer.has('')]).toEqual([true, false, false])
      expect(gazetteer.findRegions('georgia')).toEqual(['GE', 'US.GA'])
      expect(gazetteer.findRegions('constructor')).toBeUndefined()
      expect([501, 10_001, 502].map((code) => gazetteer.findZip(code))).toEqual([
        { lat: 40.8132, lon: -73.0476 },
        { lat: 40.75, lon: -73.99 },
        undefined,
      ])
    }
  })
})

describe('distanceMiles', () => {
  test('is the great-circle distance to the nearest place', () => {
    expect(distanceMiles([...known.newYork], ...known.losAngeles)).toBeCloseTo(2446, -1)
    expect(distanceMiles([...known.newYork, ...known.losAngeles], ...known.losAngeles)).toBe(0)
    // The shortest path crosses the date line.
    expect(distanceMiles([0, 179.5], 0, -179.5)).toBeCloseTo(69.1, 0)
    expect(distanceMiles([90, 0], -90, 0)).toBeCloseTo(Math.PI * 3958.7613, 3)
  })

  test('is infinite without a place', () => {
    expect(distanceMiles([], 0, 0)).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('the areas of a location', () => {
  test.each([
    ['Stuttgart', 'DE DE.01 48.7823,9.177'],
    ['Leeds, UK', 'GB GB.ENG 53.7965,-1.5478'],
    ['Berlin / Hamburg', 'DE DE.16 52.5244,13.4105 DE.04 53.5507,9.993'],
    ['San Francisco, CA 94107', 'US US.CA 37.7749,-122.4194'],
    ['94107', 'US'],
    ['Remote, Germany', 'DE'],
    ['Deutschland (remote)', 'DE'],
    ['Remote (US only)', 'US'],
    ['Bavaria, Germany', 'DE DE.02'],
    ['Germany, Bavaria', 'DE DE.02'],
    ['Georgia, USA', 'US US.GA'],
    ['Ontario, Canada', 'CA CA.08'],
    ['US / Canada', 'US CA'],
    ['Mexico', 'MX'],
    ['New York, USA', 'US US.NY 40.7143,-74.006'],
    // Ambiguous names and texts without a place have no areas.
    ['Georgia', ''],
    ['CA', ''],
    ['Punjab', ''],
    ['Remote', ''],
    ['', ''],
  ])('%j are %j', (location, codes) => {
    expect(areasOf(location).join(' ')).toBe(codes)
    expect(countryOf(location)).toBe(codes.slice(0, 2) || undefined)
  })

  test.each([
    ['Munich', 'München'],
    ['Cologne', 'Köln, Deutschland'],
    ['Germany', 'Stuttgart'],
    ['Allemagne', 'Stuttgart'],
    ['ドイツ', 'Stuttgart'],
    ['germany', 'Remote, Deutschland'],
    ['Bavaria', 'Nürnberg'],
    ['UK', 'Leeds'],
    ['uk', 'Belfast'],
    ['England', 'Leeds'],
    ['TX', 'Austin'],
    ['New York', 'Buffalo, NY'],
    ['NYC', 'New York'],
    ['Singapore', 'Singapore'],
    ['Berlin or Hamburg', 'Hamburg'],
    ['Georgia', 'Atlanta'],
    ['Georgia', 'Tbilisi'],
  ])('%j finds %j', (text, location) => {
    expect(areasOf(location)).toEqual(expect.arrayContaining([expect.toBeOneOf(areasNamed(text))]))
  })

  test.each([
    ['Munich', 'Nürnberg'],
    ['England', 'Belfast'],
    ['Georgia, USA', 'Tbilisi'],
    ['New York, USA', 'Buffalo, NY'],
    ['Switzerland, Zurich', 'Geneva'],
    ['Mexico, Guadalajara', 'Mexico City'],
    ['London, UK', 'London, Ontario'],
    ['Remote', 'Remote'],
    ['Nowhereville', 'Berlin'],
  ])('%j does not find %j', (text, location) => {
    const areas = areasOf(location)
    expect(areasNamed(text).filter((code) => areas.includes(code))).toEqual([])
  })
})

describe('namesakes', () => {
  test.each([
    ['Leeds', ['Leeds, United Kingdom', 'Leeds, AL']],
    [' cambridge ', ['Cambridge, United Kingdom', 'Cambridge, Canada', 'Cambridge, MA']],
    ['Halle', ['Halle, Belgium', 'Halle, Germany']],
    ['Valencia', ['Valencia, Venezuela', 'Valencia, Spain', 'Valencia, CA']],
    ['Reading', ['Reading, United Kingdom', 'Reading, PA', 'Reading, MA']],
  ])('%j may mean %j', (text, labels) => {
    const found = findNamesakes(text, 3)
    expect(found).toEqual(labels)
    expect(resolvePlace(found[0]!)).toEqual(resolvePlace(text))
    for (const label of found) expect(findNamesakes(label, 3), label).toEqual([])
  })

  test.each([
    ...['Leeds, AL', 'Leeds, United Kingdom', 'Leeds or York', 'Remote', 'Nowhereville', '90210', ''],
    // The other towns are small, the name means a part of a country, or the text is too long.
    ...['Munich', 'Cologne', 'New York', 'Georgia', 'Victoria', `Leeds${' '.repeat(200)}`],
  ])('%j has none', (text) => {
    expect(findNamesakes(text, 3)).toEqual([])
  })
})
