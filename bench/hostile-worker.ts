/** Repeats one attack in a thread of its own until it is told to stop: its work does not delay the honest clients' clocks. */
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { Attack, Outcome, Target } from './hostile/attack.ts'

export interface Assignment {
  /** URL of the module that exports the attack. */
  module: string
  name: string
  target: Omit<Target, 'signal'>
}

const { module, name, target } = workerData as Assignment
const { attacks } = (await import(module)) as { attacks: Attack[] }
const attack = attacks.find((one) => one.name === name)!
const ending = new AbortController()
parentPort!.once('message', () => ending.abort())

let outcome: Outcome = { held: true, figures: 'never ran to its end' }
while (!ending.signal.aborted) {
  const round = await attack
    .run({ ...target, signal: ending.signal })
    .catch((error) => ({ held: false, figures: String(error) }))
  // A round that the end of the time broke off tells nothing.
  if (!ending.signal.aborted) outcome = round
  await pause(10)
}
parentPort!.postMessage(outcome)
