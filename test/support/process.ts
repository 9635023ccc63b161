/** Runs the service as a separate process through its command line. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

interface ProcessOptions {
  /** Options of the shell's `ulimit`. */
  limits?: string
  /** The folder of the service. Default: this repository. */
  root?: string
}

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

/** Returns a port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

export class ServiceProcess {
  readonly child: ChildProcess
  stdout = ''
  stderr = ''
  readonly finished: Promise<Finished>

  constructor(
    args: readonly string[],
    environment: Record<string, string>,
    { limits, root = ROOT }: ProcessOptions = {},
  ) {
    // V8's optimizing compiler would spend more time on the embedded database's code than these short processes save.
    const command = [process.execPath, '--liftoff-only', join(root, 'src/main/cli.ts'), ...args]
    const [file, ...rest] = limits ? ['sh', '-c', `ulimit ${limits}; exec "$@"`, 'sh', ...command] : command
    this.child = spawn(file!, rest, {
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
        NODE_COMPILE_CACHE: inject('compileCache'),
        STOP_DELAY_S: '0',
        FAST_PATH: process.env.FAST_PATH,
        ...(environment.DATABASE_URL && { ENCRYPTION_KEY: 'ab'.repeat(32) }),
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text
      this.child.emit('output')
    })
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
    this.finished = once(this.child, 'close').then(([code]) => ({ code, stdout: this.stdout, stderr: this.stderr }))
  }

  /** Resolves when the process has printed matching text, and rejects if the process exits first. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.stdout)
      if (match) return match
      const ended = await Promise.race([once(this.child, 'output').then(() => undefined), this.finished])
      if (ended && !pattern.test(this.stdout)) throw new Error(`Ended without ${pattern}: ${JSON.stringify(ended)}`)
    }
  }

  signal(name: NodeJS.Signals): Promise<Finished> {
    this.child.kill(name)
    return this.finished
  }
}

/** Runs a command until it exits. */
export function runCli(
  args: readonly string[],
  environment: Record<string, string>,
  options: ProcessOptions = {},
): Promise<Finished> {
  return new ServiceProcess(args, environment, options).finished
}
