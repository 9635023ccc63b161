import { describeOperation } from '../support/operation.ts'
import { valueCounts } from '../support/value-counts.ts'

describeOperation('listJobTypes', (tests) => {
  const { status } = tests
  const { returnsCounts, refusesListParameters } = valueCounts(tests, {
    ...{ name: 'type', path: '/v1/jobs/types' },
    ...{ first: { slug: 'full-time', name: 'Full-time' }, other: 'contract' },
  })

  status(200, returnsCounts)
  status(400, refusesListParameters)
})
