/** Attacks that fill the disk (A2). The storage budget must stop each attack early. */
import { randomBytes } from 'node:crypto'
import {
  type Answer,
  type Attack,
  countStatuses,
  dataOf,
  longQuestions,
  newJob,
  type Outcome,
  send,
  type Target,
} from './attack.ts'

/** Returns unique words, which do not compress and which each add an entry to the word index. */
const noise = (length: number) =>
  Array.from({ length: Math.ceil(length / 9) }, () => randomBytes(4).toString('hex')).join(' ')

const isStorageRefusal = ({ status, text }: Answer) => status === 429 && /"storage(?:-burst)?\\"/.test(text)

interface Written {
  answers: Answer[]
  /** The limit that stopped the writes. */
  end: 'the storage budget' | 'the time limit' | 'no limit'
}

/**
 * Repeats a write, four at a time, until the service refuses it, the connection breaks, `times` writes were sent, or
 * the attack reaches its time limit.
 */
async function writeUntilRefused(
  target: Target,
  times: number,
  write: (n: number) => Promise<Answer>,
): Promise<Written> {
  const answers: Answer[] = []
  let n = 0
  let isOver = false
  const writer = async () => {
    while (!isOver && n < times && !target.signal.aborted) {
      const answer = await write(n++)
      answers.push(answer)
      if (answer.status === 429 || answer.status === 0) isOver = true
    }
  }
  await Promise.all([writer(), writer(), writer(), writer()])
  const isRefused = answers.some(isStorageRefusal)
  return { answers, end: isRefused ? 'the storage budget' : target.signal.aborted ? 'the time limit' : 'no limit' }
}

/** Creates an active job of 44 KB, or of 910 KB in a short replay. */
const newLongJob = (target: Target): Promise<string> =>
  newJob(target, target.keys.employer, {
    description: noise(43_000),
    ...(target.isShort && { custom_questions: longQuestions }),
  })

const outcomeOf = ({ answers, end }: Written): Outcome => ({
  held: end === 'the storage budget',
  figures: `${countStatuses(answers)}; stopped by ${end}`,
})

export const attacks: Attack[] = [
  {
    name: 'repeated updates of a long job with new words',
    finding: 'A2',
    async run(target) {
      const id = await newLongJob(target)
      const key = target.keys.employer
      const written = await writeUntilRefused(target, 1_000, () =>
        send(target, 'PUT', `/v1/jobs/${id}`, { key, body: { description: noise(43_000) } }),
      )
      const removal = await send(target, 'DELETE', `/v1/jobs/${id}`, { key })
      const { held, figures } = outcomeOf(written)
      return { held: held && removal.status === 204, figures: `${figures}; DELETE afterward: ${removal.status}` }
    },
  },
  {
    name: 'closing and reopening a long job, each time with a new idempotency key',
    finding: 'A2',
    async run(target) {
      const id = await newLongJob(target)
      const key = target.keys.employer
      return outcomeOf(
        await writeUntilRefused(target, 3_000, (n) =>
          send(target, 'POST', `/v1/jobs/${id}/${n % 2 === 0 ? 'close' : 'reopen'}`, {
            key,
            body: {},
            headers: { 'idempotency-key': `${id}-${n}` },
          }),
        ),
      )
    },
  },
  {
    name: 'uploading and deleting resumes of 3 MB',
    finding: 'A2',
    async run(target) {
      const key = target.keys.candidate
      return outcomeOf(
        await writeUntilRefused(target, 50, async (n) => {
          const headers = { 'content-type': 'text/plain', 'content-disposition': `attachment; filename="cv-${n}.txt"` }
          // A short replay uses few distinct words, because extracting and indexing many words takes most of the time.
          const body = target.isShort ? 'word '.repeat(600_000) : noise(3_000_000)
          const answer = await send(target, 'POST', '/v1/candidates/resume', { key, body, headers })
          if (answer.status === 201) await send(target, 'DELETE', `/v1/candidates/resume/${dataOf(answer).id}`, { key })
          return answer
        }),
      )
    },
  },
]
