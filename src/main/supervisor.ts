/**
 * Notifies systemd that the service is ready and that its event loop runs (`Type=notify`, `WatchdogSec`). systemd
 * restarts a process that hangs. Without systemd this does nothing.
 */
import { spawn } from 'node:child_process'

/** systemd expects one notification per interval; this many leave room for a long garbage collection. */
const SIGNS_PER_INTERVAL = 3

export interface Supervisor {
  ready(): void
  stopping(): void
}

/**
 * Node has no Unix datagram sockets, so systemd-notify sends the notifications. A shell runs it for each line, so the
 * event loop only writes to a pipe. The shell starts early, while this process is small. Startup may take long because
 * of migrations or a large board; its timeout is extended for as long as the event loop runs.
 */
export function watchedBySystemd({ NOTIFY_SOCKET, WATCHDOG_USEC, PATH }: NodeJS.ProcessEnv): Supervisor {
  if (!NOTIFY_SOCKET) return { ready() {}, stopping() {} }
  const shell = spawn('sh', ['-c', 'while read -r states; do systemd-notify $states; done'], {
    env: { NOTIFY_SOCKET, PATH },
    stdio: ['pipe', 'ignore', 'inherit'],
    // A signal to the whole process group must not end it before it has reported the stop.
    detached: true,
  })
  const tell = (...states: string[]) => shell.stdin.write(`${states.join(' ')}\n`)
  shell.on('error', (error) => console.error(`systemd cannot be notified: ${error.message}`))
  // The shell has ended, and its error is already printed.
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
