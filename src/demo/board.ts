/**
 * The demo board: the employers and postings a fresh installation can be filled with, so that search, filters and
 * listings have something real-looking to work on. Every company, person and address here is invented, and every
 * domain ends in `.example`. Ages are relative (`posted_days_ago`), so the board looks current whenever it is loaded.
 */

import { batteryAndCharging } from './battery-and-charging.ts'
import { dealersAndGarages } from './dealers-and-garages.ts'
import { raceAndAutonomy } from './race-and-autonomy.ts'
import type { DemoEmployer } from './shapes.ts'
import { softwareHouses } from './software-houses.ts'
import { studioAndFinance } from './studio-and-finance.ts'
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
]
