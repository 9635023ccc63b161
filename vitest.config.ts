import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Some start several processes, and machines are slow now and then: no test is about how long it takes.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    // A browser on a busy machine takes its time from one page to the next.
    expect: { poll: { timeout: 30_000 } },
  },
})
