import { describeOperation } from '../support/operation.ts'
import { valueCounts } from '../support/value-counts.ts'

describeOperation('listJobCategories', (tests) => {
  const { status } = tests
  const { returnsCounts, refusesListParameters } = valueCounts(tests, {
    ...{ name: 'category', path: '/v1/jobs/categories' },
    ...{ first: { slug: 'vehicle-engineering', name: 'Vehicle engineering' }, other: 'finance' },
  })

  status(200, returnsCounts)
  status(400, refusesListParameters)
})
