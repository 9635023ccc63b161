import { defineConfig } from 'vitest/config'

/** Tests that use no database. `.ci/run` runs them once. */
const pure = [
  'test/unit/**/*.test.ts',
  'test/property/{answers,base64,byte-range,byte-turns,cursor,entity-tags,orders}.test.ts',
]

/** Tests that replace a module of the service, or that measure the memory of their process. */
const alone = ['test/http/pipelining.test.ts', 'test/regressions/parsed-vectors.test.ts']

const common = {
  pool: 'forks',
  // The files of a worker share its modules. Loading and compiling the service anew takes seconds per file.
  isolate: false,
  // Some start several processes, and machines are slow now and then: no test is about how long it takes.
  testTimeout: 120_000,
  hookTimeout: 240_000,
  // A browser on a busy machine takes its time from one page to the next.
  expect: { poll: { timeout: 30_000 } },
} as const

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 2,
    projects: [
      { test: { ...common, name: 'pure', include: pure } },
      { test: { ...common, name: 'service', include: ['test/**/*.test.ts'], exclude: [...pure, ...alone] } },
      { test: { ...common, name: 'alone', include: alone, isolate: true } },
    ],
  },
})
