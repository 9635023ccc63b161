/** A reporter for unattended runs: prints every five minutes which tests of each unfinished file are running. */
import type { Reporter, TestCase, TestModule } from 'vitest/node'

const LONG_MS = 5 * 60_000

export default class LongRuns implements Reporter {
  /** Timers by module ID, because Vitest may report a module twice, with different objects. */
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #running = new Map<string, Set<string>>()

  onTestModuleQueued(module: TestModule): void {
    const begin = performance.now()
    const running = new Set<string>()
    clearInterval(this.#timers.get(module.id))
    this.#running.set(module.id, running)
    const report = () => {
      const seconds = Math.round((performance.now() - begin) / 1_000)
      console.log(`Running for ${seconds} s: ${module.relativeModuleId}: ${[...running].join('; ') || 'no test'}`)
    }
    this.#timers.set(module.id, setInterval(report, LONG_MS).unref())
  }

  onTestCaseReady({ module, fullName }: TestCase): void {
    this.#running.get(module.id)?.add(fullName)
  }

  onTestCaseResult({ module, fullName }: TestCase): void {
    this.#running.get(module.id)?.delete(fullName)
  }

  onTestModuleEnd(module: TestModule): void {
    clearInterval(this.#timers.get(module.id))
    this.#timers.delete(module.id)
    this.#running.delete(module.id)
  }
}
