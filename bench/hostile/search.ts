/** Searches that cost more than ordinary requests. */
import { type Answer, type Attack, countStatuses, quantile, send, type Target } from './attack.ts'

let invented = 0
/** Returns three-letter words that no job contains. Few of them repeat within 1,296 words. */
function inventedWords(count: number): string {
  return Array.from({ length: count }, () => {
    const n = invented++
    return ['q', 'x', 'z'][n % 3]! + ((n * 7_919) % 1_296).toString(36).padStart(2, 'q')
  }).join(' ')
}

const searchOf = (target: Target, key: string, words: string) =>
  send(target, 'GET', `/v1/jobs?sort=relevance&search=${encodeURIComponent(words)}`, { key })

const FLOOD = 30
const PROBES = 10
/** Maximum duration of a search by another account, in milliseconds. Without protection, it took 8 s. */
const WAIT_MAX_MS = 2_000

/** Sends new searches from another account while the flood runs. Returns the durations of these searches. */
async function probeBeside(
  target: Target,
  flood: readonly Promise<Answer>[],
): Promise<{ ms: number[]; failed: number }> {
  const ms: number[] = []
  let failed = 0
  for (let n = 0; n < PROBES && !target.signal.aborted; n++) {
    const answer = await searchOf(target, target.keys.employer, `probe${invented++}`)
    ms.push(answer.ms)
    if (answer.status !== 200) failed++
  }
  await Promise.all(flood)
  return { ms, failed }
}

export const attacks: Attack[] = [
  {
    name: 'ranked searches for 32 invented words',
    finding: 'A1',
    async run(target) {
      const flood = Array.from({ length: FLOOD }, () => searchOf(target, target.keys.candidate, inventedWords(32)))
      const { ms, failed } = await probeBeside(target, flood)
      const answers = await Promise.all(flood)
      const slowest = Math.max(...ms)
      return {
        held: failed === 0 && slowest < WAIT_MAX_MS,
        figures: `${countStatuses(answers)}; slowest new search of another account: ${slowest.toFixed(0)} ms`,
      }
    },
  },
  {
    name: 'ranked searches for frequent prefixes',
    finding: 'A1',
    async run(target) {
      const letters = [...'abcdefghijklmnopqrstuvwxyz']
      const flood = Array.from({ length: 200 }, (_, n) => {
        const word = letters[n % 26]! + letters[(n * 7) % 26]! + letters[(n * 11) % 26]!
        return searchOf(target, target.keys.candidate, `"${word} ${letters[n % 26]}" ${word} ${letters[(n + 1) % 26]}`)
      })
      const { ms, failed } = await probeBeside(target, flood)
      const answers = await Promise.all(flood)
      return {
        held: failed === 0 && Math.max(...ms) < WAIT_MAX_MS,
        figures: `${countStatuses(answers)}; new searches of another account: median ${quantile(ms, 0.5).toFixed(0)} ms, slowest ${Math.max(...ms).toFixed(0)} ms`,
      }
    },
  },
  {
    name: 'silently ignored search terms',
    finding: 'A1',
    async run(target) {
      const words = Array.from({ length: 13 }, (_, n) => `term${n}`).join(' ')
      const { text } = await searchOf(target, target.keys.candidate, words)
      const ignored = (JSON.parse(text) as { meta?: { search?: { ignored_terms?: string[] } } }).meta?.search
        ?.ignored_terms
      const criteria = { search: words }
      const alert = await send(target, 'POST', '/v1/candidates/job-alerts', {
        key: target.keys.candidate,
        body: { name: 'Many terms', criteria, frequency: 'daily' },
      })
      return {
        held: ignored?.join() === 'term12' && alert.status === 422,
        figures: `ignored_terms ${JSON.stringify(ignored ?? null)}, alert ${alert.status}`,
      }
    },
  },
]
