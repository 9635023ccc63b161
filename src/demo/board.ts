/**
 * The demo board: employers and job postings that give a new installation realistic content for search, filters and
 * lists. Every company, person and email address is fictional, and every domain ends in `.example`. Ages are relative
 * (`posted_days_ago`), so a board looks current whenever it is seeded. Employers in the Americas and Japan write
 * American English, all others British English.
 */

import { barcelonaAndMonterrey } from './barcelona-and-monterrey.ts'
import { batteryAndCharging } from './battery-and-charging.ts'
import { dealersAndGarages } from './dealers-and-garages.ts'
import { lyonAndMontreal } from './lyon-and-montreal.ts'
import { nagoyaAndTokyo } from './nagoya-and-tokyo.ts'
import { raceAndAutonomy } from './race-and-autonomy.ts'
import type { DemoEmployer } from './shapes.ts'
import { softwareHouses } from './software-houses.ts'
import { studioAndFinance } from './studio-and-finance.ts'
import { stuttgartAndZurich } from './stuttgart-and-zurich.ts'
import { suppliers } from './suppliers.ts'
import { vehicleMakers } from './vehicle-makers.ts'

export type { CustomQuestion, DemoEmployer, DemoJob, DemoSalary } from './shapes.ts'

export const demoBoard: readonly DemoEmployer[] = [
  ...vehicleMakers,
  ...suppliers,
  ...batteryAndCharging,
  ...dealersAndGarages,
  ...raceAndAutonomy,
  ...softwareHouses,
  ...studioAndFinance,
  ...stuttgartAndZurich,
  ...lyonAndMontreal,
  ...barcelonaAndMonterrey,
  ...nagoyaAndTokyo,
]
