/** The HTTP layer is independent of features: its code contains no feature names, except general terms. */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { features } from '../../src/main/features.ts'

const ROOT = new URL('../../', import.meta.url)
/** Names that are also terms of HTTP, OpenAPI, Node or authentication. */
const GENERAL =
  'account accounts agent agents candidate candidates claim claims duplicate duplicates email emails employer employers event events member members registration resume site webhooks'
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*$/gm
const OTHER = /job[- ]marketplace|A job board|application\/[a-z+-]+|text\/event-stream/gi

test('the HTTP layer names no feature, except in general terms', () => {
  const names = new Set(features.flatMap(({ name }) => [name, name.replaceAll('-', '_'), name.replace(/s$/, '')]))
  for (const name of GENERAL.split(' ')) names.delete(name)
  const feature = new RegExp(`(?<![a-z])(?:${[...names].join('|')})(?![a-z])`, 'gi')
  const found = globSync('src/http/**/*.ts', { cwd: ROOT }).flatMap((file) => {
    const code = readFileSync(new URL(file, ROOT), 'utf8').replace(COMMENT, '').replace(OTHER, '')
    return [...code.matchAll(feature)].map(([name]) => `${file}: ${name}`)
  })
  expect(found).toEqual([])
})
