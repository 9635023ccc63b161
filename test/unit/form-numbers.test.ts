import { Type } from 'typebox'
import { expect, test } from 'vitest'
import type { Language } from '../../src/locale/languages.ts'
import { inLocale } from '../../src/locale/locale.ts'
import { formBody } from '../../src/pages/forms.ts'

const schema = Type.Object({ pay: Type.Integer(), rate: Type.Number() })

test.each<[Language, string, unknown, string, unknown]>([
  ['en', '45,000', 45_000, '8.1', 8.1],
  ['en', '45 000', 45_000, '1,234.5', 1_234.5],
  ['en', '4,5', '4,5', '8,1', '8,1'],
  ['ja', '45,000', 45_000, '24.855', 24.855],
  ['de', '45.000', 45_000, '8,1', 8.1],
  ['de', '1.250.000', 1_250_000, '24.855', 24.855],
  ['de', '4.5', 4.5, '-0,5', -0.5],
  ['de', '45,000', '45,000', '8,1,2', '8,1,2'],
  ['fr', '45\u202f000', 45_000, '24,855', 24.855],
  ['es', '45.000', 45_000, 'mil', 'mil'],
])('in %s, the whole number %j is %j, and the number %j is %j', (language, pay, whole, rate, decimal) => {
  const fields = new Map([
    ['pay', [pay]],
    ['rate', [rate]],
  ])
  const body = inLocale({ language, timeZone: 'UTC' }, () => formBody(schema, fields))
  expect(body).toEqual({ pay: whole, rate: decimal })
})
