/**
 * Repeats one attack in its own thread until it receives a message. The thread has the lowest priority, because a real attacker
 * would use another machine.
 */
import { constants, setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { Attack, Outcome, Target } from './hostile/attack.ts'

export interface Assignment {
  /** URL of the module that exports the attack. */
  module: string
  name: string
  target: Omit<Target, 'signal'>
}

// On Linux, this affects only the calling thread.
setPriority(constants.priority.PRIORITY_LOW)
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
  // Ignores a round that the end of the measurement interrupted.
  if (!ending.signal.aborted) outcome = round
  await pause(10)
}
parentPort!.postMessage(outcome)
