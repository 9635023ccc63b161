/** Starts OpenSearch before the tests that need it. Every test uses indexes with a unique name. */
import type { TestProject } from 'vitest/node'
import { startOpenSearch } from './open-search.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The URL of an OpenSearch node. Null if none can be installed, which skips the tests that need it. */
    searchUrl: string | null
  }
}

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const engine = await startOpenSearch()
  if ('missing' in engine) {
    // `.ci/run` installs all that the tests need, and `TEST_LISTS` asks for the engine, so its absence is an error.
    if (process.env.CI || process.env.TEST_LISTS === 'engine') throw new Error(engine.missing)
    console.error(`\n!!! The tests of the search engine are SKIPPED. ${engine.missing}\n`)
    project.provide('searchUrl', null)
    return undefined
  }
  project.provide('searchUrl', engine.urls[0]!)
  return () => engine.stopAll()
}
