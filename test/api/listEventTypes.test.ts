import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { eventTypes } from '../../src/events/catalogue.ts'
import { describeOperation } from '../support/operation.ts'

describeOperation('listEventTypes', ({ board, status }) => {
  const path = '/v1/webhooks/event-types'

  status(200, () => {
    test.each(['candidate', 'employer', 'integrator', 'admin'] as const)(
      'returns every specified type to keys of %s accounts, even with an unrelated scope',
      async (kind) => {
        const key = await board.keyWith(await board.account(kind), ['jobs:read'])
        const answer = await board.get(path, key)
        expect(answer.body.data.map(({ type }: { type: string }) => type)).toEqual([
          'job.created',
          'job.updated',
          'job.expired',
          'job.deleted',
          'application.submitted',
          'application.status_updated',
          'application.withdrawn',
          'candidate.registered',
          'candidate.profile_updated',
          'employer.registered',
          'employer.profile_updated',
        ])
      },
    )

    test.each(eventTypes)('gives %s a self-contained schema and a valid sample', async (type) => {
      const { key } = await board.candidate()
      const { data } = (await board.get(path, key)).body
      const { description, schema, sample } = data.find((each: { type: string }) => each.type === type)
      expect(description).toMatch(/^An? .*\.$/)
      expect(JSON.stringify(schema)).not.toMatch(/"\$(?:ref|id)"|"x-/)
      // Strict mode permits only keywords that every validator supports.
      const ajv = new Ajv2020({ strictSchema: true, allErrors: true, validateFormats: false })
      const validate = ajv.compile(schema)
      expect(validate(sample), ajv.errorsText(validate.errors)).toBe(true)
      expect(Object.keys(sample)).toEqual(['id', 'type', 'created_at', 'data'])
      expect(sample.type).toBe(type)
      for (const other of data) {
        if (other.type !== type) expect(validate(other.sample), other.type).toBe(false)
      }
      for (const spoilt of [
        { ...sample, more: 1 },
        { ...sample, data: { ...sample.data, more: 1 } },
        { ...sample, data: {} },
      ]) {
        expect(validate(spoilt)).toBe(false)
      }
    })
  })
})
