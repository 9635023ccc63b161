import { defineConfig } from 'vitest/config'

/** Tests that use no database. Their files share a process, and `.ci/run` runs them once. */
const pure = [
  'test/unit/**/*.test.ts',
  'test/property/{answers,base64,byte-range,byte-turns,cursor,entity-tags,orders}.test.ts',
]

const common = {
  pool: 'forks',
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
      { test: { ...common, name: 'pure', include: pure, isolate: false } },
      { test: { ...common, name: 'service', include: ['test/**/*.test.ts'], exclude: pure } },
    ],
  },
})
