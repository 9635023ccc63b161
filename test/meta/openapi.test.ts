/** The OpenAPI document: its examples are valid, and a linter finds no problems. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { MediaType } from '../../src/http/openapi-document.ts'
import { createAjv } from '../../src/http/validation.ts'
import { parseDay } from '../../src/lib/time.ts'
import { useBoard } from '../support/board.ts'

const board = useBoard()

/** Returns every content object in the document, with its location. */
function contents(): [where: string, content: Record<string, MediaType>][] {
  const { paths, webhooks = {}, components } = board.contract.document
  const operations = [paths, webhooks].flatMap((items) => Object.values(items).flatMap((item) => Object.values(item)))
  return [
    ...Object.entries(components.responses ?? {}).map(([name, { content = {} }]) => [name, content] as const),
    ...operations.map(({ operationId, requestBody }) => [`${operationId} body`, requestBody?.content ?? {}] as const),
    ...operations.flatMap(({ operationId, responses }) =>
      Object.entries(responses).map(
        ([status, response]) =>
          [`${operationId} ${status}`, ('content' in response && response.content) || {}] as const,
      ),
    ),
  ].map(([where, content]) => [where, content])
}

/** Returns every example with its schema. */
function examples(): [where: string, schema: object, value: unknown][] {
  const { paths, components } = board.contract.document
  const parameters = Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ operationId, parameters = [] }) =>
      parameters.map(({ name, schema, example }) => [`${operationId} ${name}`, schema, example] as const),
    ),
  )
  return [
    ...Object.entries(components.schemas).map(([name, schema]) => [name, schema, schema.example] as const),
    ...parameters,
    ...contents().flatMap(([where, content]) =>
      Object.values(content).flatMap(({ schema, example, examples = {} }) => [
        [where, schema, example] as const,
        ...Object.entries(examples).map(([name, { value }]) => [`${where} ${name}`, schema, value] as const),
      ]),
    ),
  ]
    .filter(([, , value]) => value !== undefined)
    .map(([where, schema, value]) => [where, schema, value])
}

test('every JSON body has an example', () => {
  const without = contents().flatMap(([where, content]) =>
    Object.entries(content)
      .filter(([type, { example, examples }]) => /json/.test(type) && example === undefined && examples === undefined)
      .map(([type]) => `${where} ${type}`),
  )
  expect(without).toEqual([])
})

test('every example matches its schema', () => {
  const ajv = createAjv()
  // The formats in the document. The service validates requests more strictly.
  ajv.addFormat('uri', (text) => URL.canParse(text))
  ajv.addFormat('date', (text) => parseDay(text, 'start') !== undefined)
  ajv.addFormat('byte', /^[A-Za-z0-9+/]*={0,2}$/)
  ajv.addSchema({ $id: 'openapi', components: board.contract.document.components })
  const found = examples()
  const faults = found.flatMap(([where, schema, value]) => {
    const validate = ajv.compile(
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/')),
    )
    return validate(structuredClone(value)) ? [] : [`${where}: ${ajv.errorsText(validate.errors)}`]
  })
  expect(faults).toEqual([])
  expect(found.length).toBeGreaterThan(120)
})

test('a linter finds no problems', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'job-marketplace-openapi-'))
  try {
    const file = join(folder, 'openapi.json')
    await writeFile(file, JSON.stringify(board.contract.document, null, 2))
    const linter = join(import.meta.dirname, '../../node_modules/@redocly/cli/bin/cli.js')
    const rules = ['--config', join(import.meta.dirname, '../../redocly.yaml')]
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const lint = promisify(execFile)(process.execPath, [linter, 'lint', file, ...rules, '--format', 'stylish'], { env })
    const findings = await lint.then(
      () => '',
      ({ stdout, stderr }) => stdout + stderr,
    )
    expect(findings).toBe('')
  } finally {
    await rm(folder, { recursive: true })
  }
})
