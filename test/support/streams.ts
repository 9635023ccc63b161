/** Reads server-sent events as a browser does. */
import { ADMIN_KEY, type Board } from './board.ts'
import type { Visitor } from './pages.ts'

/** Opens a stream. Throws if the status is not 200. */
export async function openStream(
  board: Board,
  person: Pick<Visitor, 'cookies'>,
  path: string,
  headers: Record<string, string> = {},
) {
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const ending = new AbortController()
  const response = await fetch(`${board.address}${path}`, { headers: { cookie, ...headers }, signal: ending.signal })
  if (response.status !== 200) throw new Error(String(response.status))
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    headers: response.headers,
    /** Returns the next event. Throws if the stream ends first. */
    async next(): Promise<{ id: string; type: string | undefined; data: string }> {
      for (;;) {
        const message = /^id: (.*)\n(?:event: (.*)\n)?((?:data: [^\n]*\n)+)\n/m.exec(text)
        if (message) {
          text = text.slice(message.index + message[0].length)
          return { id: message[1]!, type: message[2], data: message[3]!.replaceAll(/^data: /gm, '') }
        }
        const { value, done } = await reader.read()
        if (done) throw new Error('The stream ended')
        text += value
      }
    },
    async close(): Promise<void> {
      ending.abort()
      await reader.cancel().catch(() => undefined)
    },
  }
}

/**
 * Waits for this many of an account's events, and returns the iterator after them. Transactions of other tests on the
 * same server may hold back the stream, and `after=now` then names a point before events that are already committed.
 */
export async function iteratorAfter(board: Board, key: string, events = 1): Promise<string> {
  let next = ''
  for (let seen = 0; seen < events; ) {
    const { data, meta } = (await board.get(`/v1/events?after=${next}&wait_seconds=30`, key)).body
    seen += data.length
    next = meta.next
  }
  return next
}

/** Waits until the event stream has this many readers. */
export async function streamReaders(board: Board, count: number): Promise<void> {
  while (!(await board.get('/metrics', ADMIN_KEY)).text.includes(`\nevent_stream_readers ${count}\n`));
}
