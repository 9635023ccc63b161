/** A reporter for runs that nobody watches: prints which tests are running in files that take long. */
import type { Reporter, TestCase, TestModule } from 'vitest/node'

const LONG_MS = 5 * 60_000

export default class LongRuns implements Reporter {
  readonly #timers = new Map<TestModule, NodeJS.Timeout>()
  readonly #running = new Map<TestModule, Set<string>>()

  onTestModuleQueued(module: TestModule): void {
    const begin = performance.now()
    const running = new Set<string>()
    this.#running.set(module, running)
    const report = () => {
      const seconds = Math.round((performance.now() - begin) / 1_000)
      console.log(`Running for ${seconds} s: ${module.relativeModuleId}: ${[...running].join('; ') || 'no test'}`)
    }
    this.#timers.set(module, setInterval(report, LONG_MS).unref())
  }

  onTestCaseReady({ module, fullName }: TestCase): void {
    this.#running.get(module)?.add(fullName)
  }

  onTestCaseResult({ module, fullName }: TestCase): void {
    this.#running.get(module)?.delete(fullName)
  }

  onTestModuleEnd(module: TestModule): void {
    clearInterval(this.#timers.get(module))
    this.#timers.delete(module)
    this.#running.delete(module)
  }
}
