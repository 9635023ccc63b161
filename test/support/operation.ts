/** Groups the tests of one operation by status. Each group must receive its status. */
import { afterAll, describe } from 'vitest'
import { type Answer, type Board, useBoard } from './board.ts'

export interface OperationTests {
  board: Board
  /** Defines a describe block that fails if the operation did not return this status inside it. */
  status(code: number, define: () => void): void
}

export function describeOperation(
  operationId: string,
  define: (tests: OperationTests) => void,
  environment: Record<string, string> = {},
): void {
  describe(operationId, () => {
    const board = useBoard(environment)
    define({
      board,
      status(code, defineBlock) {
        describe(String(code), () => {
          defineBlock()
          afterAll(() => {
            if (!board.seen.has(`${operationId} ${code}`)) throw new Error(`${operationId} never returned ${code} here`)
            board.seen.delete(`${operationId} ${code}`)
          })
        })
      },
    })
  })
}

/**
 * Creates a request when the test runs. `key` is the required account's key, if the request needs a particular account.
 */
export type RequestOf = () => Promise<{ method: string; path: string; body?: unknown; key?: string }>

/** Returns the errors in a response, as `pointer code` or `parameter code`. */
export function faultsOf(answer: Answer): string[] {
  return (answer.body.errors ?? []).map(
    (fault: { pointer?: string; parameter?: string; code: string }) =>
      `${fault.pointer ?? fault.parameter} ${fault.code}`,
  )
}
