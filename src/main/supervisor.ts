/**
 * Notifies systemd that the service is ready and that its event loop is running (`Type=notify`, `WatchdogSec`). systemd
 * restarts a process that hangs. Does nothing without systemd.
 */
import { spawn } from 'node:child_process'

/**
 * Number of notifications per watchdog interval. systemd requires one; the others allow for long garbage collections.
 */
const SIGNS_PER_INTERVAL = 3

export interface Supervisor {
  ready(): void
  stopping(): void
}

/**
 * Starts the notifications. Node does not support Unix datagram sockets, so systemd-notify sends them. A shell runs
 * systemd-notify for each line that it reads; the event loop only writes to a pipe. The shell starts early, while this
 * process uses little memory. Migrations or a large board can slow down the startup, so the startup timeout is extended
 * while the event loop is running.
 */
export function watchedBySystemd({ NOTIFY_SOCKET, WATCHDOG_USEC, PATH }: NodeJS.ProcessEnv): Supervisor {
  if (!NOTIFY_SOCKET) return { ready() {}, stopping() {} }
  const shell = spawn('sh', ['-c', 'while read -r states; do systemd-notify $states; done'], {
    env: { NOTIFY_SOCKET, PATH },
    stdio: ['pipe', 'ignore', 'inherit'],
    // A signal to the whole process group must not end the shell before it has reported the stop.
    detached: true,
  })
  const tell = (...states: string[]) => shell.stdin.write(`${states.join(' ')}\n`)
  shell.on('error', (error) => console.error(`systemd cannot be notified: ${error.message}`))
  // Ignores this error, because the shell has ended and has already printed its own error.
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
