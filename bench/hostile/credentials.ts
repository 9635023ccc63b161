/** Guesses of keys and sessions, which must not lock out other clients at the same IP address (B2). */
import { randomBytes } from 'node:crypto'
import { newApiKey } from '../../src/lib/api-keys.ts'
import { type Answer, type Attack, Browser, call, countStatuses, send } from './attack.ts'

/** Exceeds the number of wrong keys that an IP address may try per minute. */
const WRONG = 61

export const attacks: Attack[] = [
  {
    name: 'wrong keys from the IP address of a valid client',
    finding: 'B2',
    isLast: true,
    async run(target) {
      const body = { name: 'Not seen before' }
      const { key } = await call(target, 'POST', '/v1/api-keys', target.keys.candidate, body)
      const { cookie } = await new Browser(target).signIn(target.keys.candidate)
      const wrong: Answer[] = []
      // The checksums of the keys are valid, so the service looks up each key.
      for (let n = 0; n < WRONG; n++) wrong.push(await send(target, 'GET', '/v1/me', { key: newApiKey('candidate') }))
      for (let n = 0; n < WRONG; n++) {
        const invented = `session=${randomBytes(32).toString('base64url')}`
        wrong.push(await send(target, 'GET', '/docs', { headers: { cookie: invented } }))
      }
      const valid = [
        await send(target, 'GET', '/v1/me', { key: key! }),
        await send(target, 'GET', '/v1/me', { key: target.keys.candidate }),
        await send(target, 'GET', '/account', { headers: { cookie } }),
      ]
      return {
        held: valid.every(({ status }) => status === 200) && wrong.some(({ status }) => status === 429),
        figures: `wrong: ${countStatuses(wrong)}; valid: ${countStatuses(valid)}`,
      }
    },
  },
]
