/** Repeats the attack named by the first message until a second message arrives, and then sends the last outcome. */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Attack, Outcome, Target } from './hostile/attack.ts'

export interface Assignment {
  /** URL of the module that exports the attack. */
  module: string
  name: string
  target: Omit<Target, 'signal'>
}

const [{ module, name, target }] = (await once(process, 'message')) as [Assignment]
const { attacks } = (await import(module)) as { attacks: Attack[] }
const attack = attacks.find((one) => one.name === name)!
const ending = new AbortController()
process.once('message', () => ending.abort())

let outcome: Outcome = { held: true, figures: 'the attack never finished' }
while (!ending.signal.aborted) {
  const round = await attack
    .run({ ...target, signal: ending.signal })
    .catch((error) => ({ held: false, figures: String(error) }))
  // Ignores a round interrupted by the end of the measurement.
  if (!ending.signal.aborted) outcome = round
  await pause(10)
}
process.send!(outcome, undefined, undefined, () => process.disconnect!())
