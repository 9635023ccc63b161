import { availableParallelism, totalmem } from 'node:os'
import { defineConfig } from 'vitest/config'

/**
 * Tests that use no database, or whose results do not depend on it: the look and the use of pages in Chromium, the linter
 * of the API document, the board without each feature, and the guide, whose trial board uses the embedded database. With
 * TEST_DATABASE_URL, they are left out, so `.ci/run` runs them once. On both databases, `test/meta/pages.test.ts` opens
 * every page, `test/pages` submits their forms, and `test/api` calls every operation.
 */
const once = [
  'test/unit/**/*.test.ts',
  'test/property/{answers,base64,byte-range,byte-turns,cursor,entity-tags,orders,webhook-health}.test.ts',
  'test/e2e/{board-pages,candidate-pages,clicks,console-pages,desk,guide,hiring,moderation,page-quality,reference}.test.ts',
  'test/meta/{features,http,openapi,regular-expressions,release,shipping,tables,words}.test.ts',
  'test/regressions/{names-in-mails,zip-directory}.test.ts',
]

/** Tests that replace a module of the service, or that measure the memory of their process. */
const alone = ['test/http/pipelining.test.ts', 'test/regressions/parsed-vectors.test.ts']

/** Tests on a search engine. They share one OpenSearch node, which only they start. */
const engine = ['test/engine/**/*.test.ts']

/**
 * Tests often wait for processes and databases, so each core has two workers. A worker uses up to 1.6 GB of memory. More
 * than six workers would need more connections than a PostgreSQL server allows by default.
 */
const maxWorkers = Math.max(1, Math.min(6, 2 * availableParallelism(), Math.floor(totalmem() / 2.5e9)))

/** Room for short-lived objects, in MB. Less frequent garbage collection saves a tenth of the workers' CPU time. */
const execArgv = ['--min-semi-space-size=64', '--max-semi-space-size=64']

const common = {
  pool: 'forks',
  // The files of a worker share its modules, because loading the service again takes seconds per file.
  isolate: false,
  setupFiles: 'test/support/stalls.ts',
  // Some tests start several processes, and machines can be slow.
  testTimeout: 120_000,
  hookTimeout: 240_000,
  // Browsers are slow on a busy machine.
  expect: { poll: { timeout: 30_000 } },
} as const

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers,
    projects: [
      {
        test: {
          ...common,
          execArgv,
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [...alone, ...engine, ...(process.env.TEST_DATABASE_URL === undefined ? [] : once)],
        },
      },
      { test: { ...common, execArgv, name: 'engine', include: engine, globalSetup: ['test/support/engine-setup.ts'] } },
      { test: { ...common, name: 'alone', include: alone, isolate: true } },
    ],
  },
})
