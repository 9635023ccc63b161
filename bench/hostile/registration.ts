/** Replays of an open registration by a client that knows its idempotency key (C4). */
import { type Attack, countStatuses, dataOf, newAddress, send } from './attack.ts'

const AT_ONCE = 4

export const attacks: Attack[] = [
  {
    name: 'replaying an open registration',
    finding: 'C4',
    async run(target) {
      const body = { first_name: 'Ada', last_name: 'Byron', email: newAddress() }
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const register = () => send(target, 'POST', '/v1/candidates', { body, headers })
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, register))
      answers.push(await register())
      const opened = answers.filter(({ status }) => status === 201).map((answer) => dataOf(answer))
      const keys = opened.filter(({ api_key }) => api_key !== null).length
      const accounts = new Set(opened.map(({ id }) => id)).size
      return {
        held: keys === 1 && accounts === 1 && opened.length > 1,
        figures: `${countStatuses(answers)}; ${accounts} account, its key shown ${keys} times`,
      }
    },
  },
]
