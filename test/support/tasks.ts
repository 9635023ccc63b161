/** Runs a board's background tasks by hand. */
import type { Task } from '../../src/background/loop.ts'
import type { Board } from './board.ts'

export function taskOf(board: Board, name: string): Task {
  return board.service.tasks.find((task) => task.name === name)!
}

/** Runs a task until it has nothing left to do. */
export async function runTask(board: Board, name: string): Promise<void> {
  await runTogether([taskOf(board, name)])
}

/** Runs several tasks concurrently until all of them have nothing left to do. */
export async function runTogether(tasks: readonly Task[]): Promise<void> {
  await Promise.all(
    tasks.map(async (task) => {
      while ((await task.once()) === 'more');
    }),
  )
}
