/**
 * Deterministic jobs for benchmarks: the same job number yields the same job on every machine. The words of the
 * descriptions follow a Zipf-like distribution: a few words are in nearly every job, and most words are in few jobs.
 */
import { readFileSync } from 'node:fs'
import type { ImportedJob } from '../src/features/jobs/index.ts'

const list = (text: string): string[] => text.split(',').map((item) => item.trim().replaceAll(/\s+/g, ' '))

const roles =
  list(`software engineer, data engineer, embedded developer, test engineer, controls engineer, battery engineer,
  powertrain engineer, calibration engineer, mechanical designer, production planner, quality inspector, service advisor,
  vehicle technician, body repairer, paint technician, sales consultant, fleet manager, product manager, project manager,
  program manager, supply chain analyst, logistics coordinator, buyer, cost engineer, systems architect, cloud engineer,
  site reliability engineer, security analyst, machine learning engineer, perception engineer, simulation engineer,
  functional safety engineer, homologation specialist, race engineer, data scientist, business analyst, accountant,
  controller, recruiter, people partner, marketing manager, content designer, interaction designer, support specialist,
  network administrator, electrician, harness designer, thermal engineer, acoustics engineer, aerodynamicist`)
const levels = [
  ['Junior', 'junior'],
  ['Senior', 'senior'],
  ['Lead', 'lead'],
  ['Principal', 'lead'],
  ['Graduate', 'entry'],
  ['Head of', 'executive'],
  ['', 'mid'],
  ['', null],
] as const
const titleEndings =
  list(`electric vehicles, charging, infotainment, chassis, driver assistance, after-sales, motorsport,
  commercial vehicles, connected services, plant systems, vehicle dynamics, hydrogen, diagnostics, telematics`)
const companyStarts =
  list(`Nord, Alder, Kestrel, Halden, Mirabel, Tannen, Orion, Cobalt, Ferro, Lumen, Vektor, Astra, Brisk,
  Calder, Dorn, Eiger, Falken, Gral, Helix, Isar, Juno, Kilo, Lynx, Merid, Novum, Ostra, Pallas, Quill, Rhein, Solis,
  Trell, Ulmer, Verde, Wexel, Yarrow, Zephyr`)
const companyEnds =
  list(`Motors, Mobility, Systems, Automotive, Dynamics, Battery Works, Charging, Robotics, Components, Garage
  Group, Software, Engineering`)
const cities =
  list(`Munich; Germany, Stuttgart; Germany, Wolfsburg; Germany, Berlin; Germany, Hamburg; Germany, Köln; Germany,
  Düsseldorf; Germany, Ingolstadt; Germany, Zürich; Switzerland, Basel; Switzerland, Wien; Austria, Graz; Austria,
  Göteborg; Sweden, Stockholm; Sweden, Malmö; Sweden, København; Denmark, Oslo; Norway, Helsinki; Finland, Tampere; Finland,
  London; United Kingdom, Coventry; United Kingdom, Birmingham; United Kingdom, Oxford; United Kingdom, Paris; France,
  Lyon; France, Grenoble; France, Torino; Italy, Modena; Italy, Bologna; Italy, Barcelona; Spain, Madrid; Spain, Lisboa; Portugal,
  Porto; Portugal, Kraków; Poland, Wrocław; Poland, Warszawa; Poland, Praha; Czechia, Mladá Boleslav; Czechia,
  Budapest; Hungary, Bratislava; Slovakia, București; Romania, Cluj-Napoca; Romania, Detroit; MI, Ann Arbor; MI, Austin; TX,
  Fremont; CA, San José; CA, Palo Alto; CA, Pittsburgh; PA, Boston; MA, Seattle; WA, Denver; CO, Atlanta; GA, Greenville; SC,
  Toronto; Canada, Montréal; Canada, São Paulo; Brazil, Pune; India, Bengaluru; India, Nagoya; Japan`).map((city) =>
    city.replace('; ', ', '),
  )
const skillNames =
  list(`C, C++, C#, Python, Rust, Go, Java, Kotlin, TypeScript, JavaScript, SQL, PostgreSQL, Kafka, Kubernetes,
  Docker, Terraform, AWS, Azure, Linux, QNX, AUTOSAR, CAN, LIN, FlexRay, SOME/IP, UDS, ISO 26262, ISO 21434, ASPICE, MISRA, MATLAB,
  Simulink, CANoe, CANalyzer, dSPACE, HIL, SIL, CATIA, NX, SolidWorks, ANSYS, Abaqus, GD&T, FMEA, Six Sigma, Lean, Kaizen, SAP,
  Excel, Power BI, Tableau, Spark, Airflow, dbt, PyTorch, TensorFlow, ROS 2, OpenCV, CUDA, lidar, radar, Figma, Jira, Git, Jenkins,
  React, Node.js, Angular, Swift, Android Automotive, welding, PLC, TIA Portal, robotics, hydraulics, pneumatics, metrology, CMM,
  high voltage, battery packs, BMS, thermal management, power electronics, homologation, procurement, negotiation, forecasting,
  German, French, Swedish, Japanese, driving licence`)
const requirementTexts =
  list(`A degree in engineering or computer science or equivalent experience, Several years in a similar role,
  Good written and spoken English, A driving licence for passenger cars, Experience with series production, Willingness to travel up
  to twenty percent, Confidence in front of customers, A habit of writing things down, High voltage qualification or the wish to
  get it, Knowledge of release processes`)
const benefitTexts =
  list(`Thirty days of leave, Flexible hours, Company pension, Job ticket, Car leasing at staff rates, Bicycle leasing,
  Two days a week from home, Canteen, Training budget, Share plan, Health insurance, Parental leave`)

const nouns =
  list(`team, vehicle, system, customer, project, data, process, product, service, engineer, quality, software, production,
  test, battery, plant, design, component, requirement, supplier, market, tool, platform, sensor, report, standard, workshop,
  engine, model, network, plan, cost, risk, release, interface, function, drive, inverter, charger, cell, module, harness, housing,
  bracket, seal, bearing, brake, steering, suspension, wheel, axle, chassis, body, door, seat, cockpit, display, cluster, camera,
  radar, antenna, gateway, controller, firmware, bootloader, kernel, driver, protocol, message, signal, trace, log, metric, dashboard,
  pipeline, container, cluster, queue, index, query, schema, migration, backup, incident, alert, runbook, audit, licence, contract,
  invoice, budget, forecast, order, shipment, pallet, warehouse, carrier, route, stock, batch, tolerance, drawing, assembly, fixture,
  mould, press, weld, paint, coating, corrosion, fatigue, vibration, noise, airflow, coolant, pump, valve, hose, filter, exhaust,
  turbocharger, clutch, gearbox, differential, torque, traction, lap, circuit, tyre, telemetry, simulation, scenario, mesh, solver,
  dataset, label, training, inference, detection, tracking, planning, localisation, map, lane, pedestrian, cyclist, junction, parking,
  homologation, regulation, emission, recall, warranty, claim, diagnosis, repair, inspection, appointment, showroom, brochure, campaign,
  brand, audience, survey, persona, prototype, wireframe, sketch, colour, trim, leather, textile, lamp, mirror, wiper, glass, roof,
  hinge, latch, rivet, adhesive, resin, magnet, stator, rotor, winding, busbar, fuse, relay, contactor, connector, terminal, crimp,
  insulation, ripple, impedance, capacitor, inductor, transistor, gate, wafer, solder, stencil, reflow, enclosure, gasket, shim, spacer,
  dowel, caliper, micrometer, gauge, datum, flatness, runout, chatter, coolant, swarf, spindle, gantry, conveyor, gripper, interlock,
  scanner, barcode, kanban, takt, andon, shift, roster, payroll, onboarding, mentor, apprentice, interview, candidate, appraisal,
  ledger, accrual, hedge, tariff, customs, incoterm, freight, container, terminal, depot, mileage, telematics, geofence, tachograph`)
const verbs =
  list(`develop, build, support, improve, test, manage, design, deliver, plan, lead, review, document, analyse, maintain,
  integrate, validate, release, measure, calibrate, repair, inspect, assemble, negotiate, order, monitor, automate, migrate, deploy, train, label,
  simulate, optimise, prototype, certify, coordinate, present, schedule, forecast, audit, coach, recruit, install, commission,
  configure, debug, refactor, profile, archive, trace, reconcile, dispatch, weld, machine, polish, mask, sand, torque, bleed, flash`)
const adjectives =
  list(`new, electric, technical, reliable, complex, daily, international, safe, efficient, modern, robust, small, global, clear,
  digital, thermal, mechanical, hydraulic, modular, scalable, autonomous, connected, lightweight, hybrid, seasonal, preventive, corrective,
  lean, certified, experimental, regional, dedicated, redundant, transient, cylindrical, prismatic, magnetic, structural, acoustic,
  adaptive, parametric, upstream, downstream, overnight, bilingual, contractual, fiscal, ergonomic, tactile, ambient`)
const joining = list(
  'and, with, for, in, of, to, from, across, on, at, by, together with, as well as, under, between, before',
)
const openings =
  list(`We are looking for you, You will, Your work is to, In this role you, Every day you, Together with us you,
  Our team, The department, As part of a growing group you, You are the one who will`)

/** A small, fast random number generator (mulberry32). The same seed yields the same numbers. */
export function randomFrom(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  const pick = <T>(items: readonly T[]): T => items[below(items.length)]!
  return {
    next,
    below,
    pick,
    /** Picks an item. The probability of the n-th item is roughly proportional to 1/n. */
    zipf: <T>(items: readonly T[]): T => items[Math.floor(items.length ** next()) - 1] ?? items[0]!,
    /** Picks between `least` and `most` distinct items. */
    some: <T>(items: readonly T[], least: number, most: number): T[] => {
      const chosen = new Set<T>()
      const wanted = least + below(most - least + 1)
      while (chosen.size < wanted) chosen.add(pick(items))
      return [...chosen]
    },
  }
}
type Random = ReturnType<typeof randomFrom>

const inflected = (verb: string) => {
  const bare = verb.replace(/e$/, '')
  return [verb, `${bare}ing`, `${bare}ed`]
}
const companies = companyStarts.flatMap((start) => companyEnds.map((end) => `${start} ${end}`))

const catalogue = readFileSync(new URL('../migrations/0024_desk.sql', import.meta.url), 'utf8')
/** Returns the slugs of this kind (category or type) that every new board starts with. */
const slugsOf = (kind: string) =>
  [...catalogue.matchAll(new RegExp(`^ {2}\\('${kind}', '([a-z0-9-]+)'`, 'gm'))].map((row) => row[1]!)

/** Words and values in the jobs, for use in queries. */
export const vocabulary = {
  nouns: [...new Set(nouns.flatMap((noun) => [noun, `${noun}s`]))],
  verbs: verbs.flatMap(inflected),
  adjectives,
  roles,
  companies,
  cities,
  skills: skillNames,
  categories: [...slugsOf('category'), 'rail', 'aviation'],
  types: slugsOf('type'),
  levels: ['entry', 'junior', 'mid', 'senior', 'lead', 'executive'],
}

function sentence(random: Random): string {
  const { zipf, pick, next, below } = random
  const words = [pick(openings), zipf(vocabulary.verbs)]
  for (let clause = 1 + below(3); clause > 0; clause--) {
    if (next() < 0.6) words.push(zipf(adjectives))
    words.push(zipf(vocabulary.nouns))
    // Rare words, such as part numbers, form the long tail of real texts.
    if (next() < 0.03) words.push(`${pick('ABCDEFGHKLMNPRSTVWXZ'.split(''))}${100 + below(9_900)}`)
    if (clause > 1) words.push(zipf(joining), ...(next() < 0.4 ? [zipf(vocabulary.verbs)] : []))
  }
  return `${words.join(' ')}.`
}

/** Returns paragraphs with about 1,200 to 2,000 characters in total. */
function description(random: Random): string {
  const length = 1_200 + random.below(800)
  let text = ''
  while (text.length < length) {
    text += sentence(random)
    text += random.next() < 0.18 ? '\n\n' : ' '
  }
  return text.trim()
}

const yearlyByCurrency = { EUR: 1, USD: 1.2, GBP: 0.85, CHF: 1.4, SEK: 11, PLN: 4.2, INR: 30 }
const partsOfYear = { hour: 2080, day: 260, week: 52, month: 12, year: 1 } as const
const periods = ['year', 'year', 'year', 'year', 'year', 'year', 'month', 'hour', 'day', 'week'] as const

function salary(random: Random): ImportedJob['salary'] {
  if (random.next() < 0.3) return null
  const currency = random.zipf(Object.keys(yearlyByCurrency)) as keyof typeof yearlyByCurrency
  const period = random.pick(periods)
  const amount = (thousands: number) =>
    Math.max(1, Math.round((thousands * 1000 * yearlyByCurrency[currency]) / partsOfYear[period]))
  const low = 28 + random.below(90)
  const min = random.next() < 0.08 ? null : amount(low)
  const max = min !== null && random.next() < 0.1 ? null : amount(low + 4 + random.below(40))
  return { min, max, currency, period }
}

/** The earliest and the latest `posted_at`. */
export const postedFrom = Date.UTC(2026, 0, 1)
export const postedUntil = Date.UTC(2026, 6, 1)

/** Creates job number `index`. */
export function makeJob(index: number): ImportedJob & { id: string } {
  const random = randomFrom(index * 2_654_435_761 + 97)
  const { pick, zipf, some, next, below } = random
  const [prefix, level] = pick(levels)
  const ending = next() < 0.4 ? `, ${pick(titleEndings)}` : ''
  const title = `${prefix} ${zipf(roles)}${ending}`.trim()
  const company = zipf(companies)
  const isRemote = next() < 0.2
  const city = zipf(cities)
  const slug = company.toLowerCase().replaceAll(' ', '-')
  return {
    id: `bench-${index}`,
    title: title.charAt(0).toUpperCase() + title.slice(1),
    company,
    location: isRemote && next() < 0.3 ? `Remote, ${city.split(', ')[1]}` : city,
    description: description(random),
    category: zipf(vocabulary.categories),
    type: zipf(vocabulary.types),
    remote: isRemote,
    posted_at: new Date(postedFrom + Math.floor((postedUntil - postedFrom) * next())).toISOString(),
    is_featured: next() < 0.05,
    is_urgent: next() < 0.03,
    company_website: `https://${slug}.example`,
    company_logo_url: `https://${slug}.example/logo.png`,
    salary: salary(random),
    requirements: some(requirementTexts, 2, 5),
    benefits: some(benefitTexts, 2, 6),
    skills: [...new Set(Array.from({ length: 2 + below(6) }, () => zipf(skillNames)))],
    ...(next() < 0.8 && { experience_level: level }),
    ...(next() < 0.5 && { application_url: `https://${slug}.example/jobs/${index}` }),
  } as ImportedJob & { id: string }
}

/** Yields `count` jobs as NDJSON, in chunks of lines. */
export function* jobLines(count: number): Generator<string> {
  for (let start = 0; start < count; start += 200) {
    let piece = ''
    for (let index = start; index < Math.min(start + 200, count); index++)
      piece += `${JSON.stringify(makeJob(index))}\n`
    yield piece
  }
}
