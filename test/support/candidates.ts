/** Registers candidates over HTTP. */
import type { Account, Board } from './board.ts'

/** Registers a candidate with this profile. */
export async function candidateWith(board: Board, profile: Record<string, unknown>): Promise<Account> {
  const candidate = await board.candidate()
  const answer = await board.put('/v1/candidates/profile', candidate.key, profile)
  if (answer.status !== 200) throw new Error(answer.text)
  return candidate
}
