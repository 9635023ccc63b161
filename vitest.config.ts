import { defineConfig } from 'vitest/config'

/** Tests that do not use a board's database. `.ci/run` runs them once. */
const pure = [
  'test/unit/**/*.test.ts',
  'test/property/{answers,base64,byte-range,byte-turns,cursor,entity-tags,orders,webhook-health}.test.ts',
  'test/meta/{http,shipping,tables,words}.test.ts',
  'test/regressions/{names-in-mails,zip-directory}.test.ts',
]

/**
 * Tests whose results do not depend on the database: the look and the use of pages in Chromium, the linter of the API
 * document, the board without each feature, and the guide, whose trial board uses the embedded database. `.ci/run` runs
 * them once. On both databases, `test/meta/pages.test.ts` opens every page, `test/pages` submits their forms, and
 * `test/api` calls every operation.
 */
const once = [
  'test/e2e/{board-pages,candidate-pages,clicks,console-pages,desk,guide,hiring,moderation,page-quality,reference}.test.ts',
  'test/meta/{features,openapi,regular-expressions,release}.test.ts',
]

/** Tests that replace a module of the service, or that measure the memory of their process. */
const alone = ['test/http/pipelining.test.ts', 'test/regressions/parsed-vectors.test.ts']

/** Tests on a search engine. They share one OpenSearch node, which only they start. */
const engine = ['test/engine/**/*.test.ts']

/**
 * Node options that reserve 64 MB for short-lived objects. Less frequent garbage collection saves a tenth of the
 * workers' CPU time.
 */
const roomy = ['--min-semi-space-size=64', '--max-semi-space-size=64']

const common = {
  pool: 'forks',
  // The files of a worker share its modules, because loading the service again takes seconds per file.
  isolate: false,
  setupFiles: 'test/support/stalls.ts',
  // Some tests start several processes, and machines can be slow. Tests of durations measure the time themselves.
  testTimeout: 120_000,
  hookTimeout: 240_000,
  // Browsers are slow on a busy machine.
  expect: { poll: { timeout: 30_000 } },
} as const

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // Tests often wait for processes and databases: two workers used three quarters of two cores.
    maxWorkers: 3,
    projects: [
      { test: { ...common, name: 'pure', include: pure } },
      { test: { ...common, name: 'once', include: once, execArgv: roomy } },
      {
        test: {
          ...common,
          name: 'service',
          execArgv: roomy,
          include: ['test/**/*.test.ts'],
          exclude: [...pure, ...once, ...alone, ...engine],
        },
      },
      {
        test: {
          ...common,
          name: 'engine',
          include: engine,
          execArgv: roomy,
          globalSetup: ['test/support/engine-setup.ts'],
        },
      },
      { test: { ...common, name: 'alone', include: alone, isolate: true } },
    ],
  },
})
