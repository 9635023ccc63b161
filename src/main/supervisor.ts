/**
 * Tells systemd when the service is ready, and that its event loop turns (`Type=notify`, `WatchdogSec`): systemd restarts a
 * process that hangs. Elsewhere this does nothing.
 */
import { spawn } from 'node:child_process'

/** systemd wants a sign in each interval; this many leave room for a long garbage collection. */
const SIGNS_PER_INTERVAL = 3

export interface Supervisor {
  ready(): void
  stopping(): void
}

/**
 * Node has no datagram sockets of the Unix kind, so systemd-notify sends. A shell, started while this process is small,
 * runs it for each line: the event loop only writes to a pipe. The start may take long (migrations, a large board), and
 * is extended for as long as the loop turns.
 */
export function watchedBySystemd({ NOTIFY_SOCKET, WATCHDOG_USEC, PATH }: NodeJS.ProcessEnv): Supervisor {
  if (!NOTIFY_SOCKET) return { ready() {}, stopping() {} }
  const shell = spawn('sh', ['-c', 'while read -r states; do systemd-notify $states; done'], {
    env: { NOTIFY_SOCKET, PATH },
    stdio: ['pipe', 'ignore', 'inherit'],
    // A signal to the whole group must not end it before it has told of the stop.
    detached: true,
  })
  const tell = (...states: string[]) => shell.stdin.write(`${states.join(' ')}\n`)
  shell.on('error', (error) => console.error(`systemd is not notified: ${error.message}`))
  // It has ended, and said why.
  shell.stdin.on('error', () => {})
  shell.unref()
  const interval = Number(WATCHDOG_USEC)
  const turn = () => tell('WATCHDOG=1', `EXTEND_TIMEOUT_USEC=${interval}`)
  const timer = interval > 0 ? setInterval(turn, interval / 1_000 / SIGNS_PER_INTERVAL).unref() : undefined
  if (timer) turn()
  return {
    ready: () => tell('READY=1'),
    stopping() {
      clearInterval(timer)
      tell('STOPPING=1')
    },
  }
}
