/**
 * The demo board: employers and postings for a new installation, so that search, filters and lists have realistic
 * content. Every company, person and address is fictional, and every domain ends in `.example`. Ages are relative
 * (`posted_days_ago`), so that the board looks current at any time.
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
