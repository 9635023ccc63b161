/** Bodies, forms and queries that block the event loop for a long time, although their size is permitted. */
import { type Answer, type Attack, countStatuses, send, type Target } from './attack.ts'

const MIB = 1_048_576
const fill = (unit: string, before = '', after = '') =>
  before + unit.repeat(Math.floor((MIB - before.length - after.length) / unit.length)) + after
const members = (count: number) => `{${Array.from({ length: count }, (_, n) => `"${n.toString(36)}":0`).join(',')}}`

/** Request bodies for open registration. */
const bodies: Record<string, string> = {
  'a hundred thousand unknown members': members(100_000),
  'a thousand unknown members': members(1_000),
  'array items': fill('0,', '{"first_name":[', '0]}'),
  'empty objects': fill('{},', '{"a":[', '{}]}'),
  'nested arrays': fill('['),
  'invisible characters': `{"first_name":"${'\u00ad'.repeat(MIB / 2 - 100)}x"}`,
  spaces: fill(' ', '{"first_name":"', 'x"}'),
  'an endless email address': fill('a.', '{"email":"b@', '"}'),
}

const REPEATS = 10
/**
 * Limit for the fastest response. An attack blocks the event loop every time; other load on the machine does so only
 * sometimes. Allows 50 ms for the event loop, and 50 ms for a megabyte to arrive.
 */
const ANSWER_MAX_MS = 100

const attackWith = (
  name: string,
  statuses: readonly number[],
  request: (target: Target) => Promise<Answer>,
): Attack => ({
  name,
  finding: 'A4',
  async run(target) {
    const answers: Answer[] = []
    for (let n = 0; n < REPEATS && !target.signal.aborted; n++) answers.push(await request(target))
    const fastest = Math.min(...answers.map(({ ms }) => ms))
    return {
      held: fastest < ANSWER_MAX_MS && answers.every(({ status }) => statuses.includes(status)),
      figures: `${countStatuses(answers)}; the fastest took ${fastest.toFixed(0)} ms`,
    }
  },
})

const unknownNames = Array.from({ length: 115 }, (_, n) => `${n.toString(36).padEnd(60, 'abcdefgh')}=1`).join('&')

export const attacks: Attack[] = [
  ...Object.entries(bodies).map(([what, body]) =>
    attackWith(`a body of ${what}`, [400, 422, 429], (target) => send(target, 'POST', '/v1/candidates', { body })),
  ),
  attackWith('a form of half a million fields', [413, 429], (target) =>
    send(target, 'POST', '/register/candidate', {
      body: fill('a&'),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  ),
  attackWith('a query of long unknown names', [400], (target) =>
    send(target, 'GET', `/v1/jobs?${unknownNames}`, { key: target.keys.candidate }),
  ),
]
