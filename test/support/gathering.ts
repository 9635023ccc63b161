/** Requests that arrive while the database does not respond. */
import type { Server } from 'node:http'
import type { Board } from './board.ts'

/** Runs `work`, which sends this many requests. Blocks reads until all have arrived, and returns the read count. */
export async function readsWhileArriving(
  board: Board,
  requests: number,
  work: () => Promise<unknown>,
): Promise<number> {
  const { read } = board.database
  const server = board.service.app.server as Server
  const arrived = Promise.withResolvers<void>()
  let missing = requests
  const arrive = () => {
    if (--missing === 0) arrived.resolve()
  }
  let reads = 0
  server.on('request', arrive)
  board.database.read = async (question) => {
    reads++
    await arrived.promise
    return read(question)
  }
  try {
    await work()
  } finally {
    server.off('request', arrive)
    board.database.read = read
  }
  return reads
}
