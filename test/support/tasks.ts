/** Runs a board's background tasks by hand. */
import type { Task } from '../../src/background/loop.ts'
import type { Board } from './board.ts'

export function taskOf(board: Board, name: string): Task {
  return board.service.tasks.find((task) => task.name === name)!
}

/** Runs rounds of a task until a round returns something other than `more`. */
export async function runTask(board: Board, name: string): Promise<void> {
  await runTogether([taskOf(board, name)])
}

/** Runs tasks concurrently, each until one of its rounds returns something other than `more`. */
export async function runTogether(tasks: readonly Task[]): Promise<void> {
  await Promise.all(
    tasks.map(async (task) => {
      while ((await task.once()) === 'more');
    }),
  )
}
