import { beforeAll, expect, test } from 'vitest'
import type { Account } from '../support/board.ts'
import { idsOf, pagesBothWays, refusesBadPaging } from '../support/collection.ts'
import { describeOperation, faultsOf } from '../support/operation.ts'

describeOperation('listEmployers', ({ board, status }) => {
  let paged: { path: string; key: string; ids: string[]; otherSort: string } | undefined
  const collection = async () => {
    if (paged) return paged
    const accounts: Account[] = []
    // Two names differ only in case and accents, so the ID determines their order.
    for (const name of ['Delta', 'alpha', 'Charlie', 'Álpha', 'bravo', 'Echo', 'foxtrot']) {
      accounts.push(await board.employer({ name, industry: 'Paging' }))
    }
    const order = [1, 3, 4, 2, 0, 5, 6]
    const ids = order.map((index) => accounts[index]!.id)
    paged = { path: '/v1/employers?industry=paging', key: accounts[0]!.key, ids, otherSort: 'created_at' }
    return paged
  }

  status(200, () => {
    pagesBothWays(board, collection)

    test('shows employers exactly as documented, by name, to every kind of account', async () => {
      const b = await board.employer({ name: 'b GmbH', industry: 'Exact', location: 'Graz' })
      const a = await board.employer({ name: 'Ä GmbH', industry: 'Exact', employee_count: 5 })
      for (const kind of ['candidate', 'employer', 'integrator', 'admin'] as const) {
        const { key } = await board.account(kind)
        const answer = await board.get('/v1/employers?industry=exact', key)
        const listed = async ({ id }: { id: string }) => {
          const { description_html: _, ...employer } = (await board.get(`/v1/employers/${id}`, key)).body.data
          return employer
        }
        expect(answer.body).toEqual({
          data: [await listed(a), await listed(b)],
          meta: {
            pagination: {
              total: 2,
              pages: 1,
              page: 1,
              limit: 20,
              has_more: false,
              next_cursor: null,
              prev_cursor: null,
            },
            sort: { fields: ['name'], directions: ['asc'] },
            filters_applied: { industry: 'exact' },
          },
        })
      }
    })

    const employers = {
      zulu: { name: 'Zulu', location: 'Ålesund', employee_count: 20 },
      alfa: { name: 'alfa', employee_count: 300 },
      mike: { name: 'Mike', location: 'berlin, Germany' },
      kilo: { name: 'Kilo', location: 'Zürich', employee_count: 20 },
    }
    type Name = keyof typeof employers
    const ids = {} as Record<Name, string>
    const names = Object.keys(employers) as Name[]
    let key = ''
    const list = async (query: string) => {
      const answer = await board.get(`/v1/employers?industry=Sorting&${query}`, key)
      return idsOf(answer).map((id) => names.find((name) => ids[name] === id))
    }
    beforeAll(async () => {
      for (const name of names) {
        board.clock.advance(1_000)
        const account = await board.employer({ ...employers[name], industry: 'Sorting' })
        ids[name] = account.id
        key = account.key
        const jobs = { zulu: 1, alfa: 0, mike: 2, kilo: 0 }[name]
        for (let i = 0; i < jobs; i++) await board.activeJob(account)
        await board.job(account)
      }
    })

    test.each<[string, Name[]]>([
      ['sort=name', ['alfa', 'kilo', 'mike', 'zulu']],
      ['sort=name:desc', ['zulu', 'mike', 'kilo', 'alfa']],
      ['order=desc', ['zulu', 'mike', 'kilo', 'alfa']],
      // Employers without a location are last in both directions.
      ['sort=location', ['zulu', 'mike', 'kilo', 'alfa']],
      ['sort=location:desc', ['kilo', 'mike', 'zulu', 'alfa']],
      ['sort=created_at', ['zulu', 'alfa', 'mike', 'kilo']],
      ['sort=created_at:desc', ['kilo', 'mike', 'alfa', 'zulu']],
      ['sort=created_at&order=desc', ['kilo', 'mike', 'alfa', 'zulu']],
      ['sort=open_positions:desc,name:asc', ['mike', 'zulu', 'alfa', 'kilo']],
      ['sort=open_positions,name', ['alfa', 'kilo', 'zulu', 'mike']],
      // Employers without an employee count are last in both directions. Ties use the next field.
      ['sort=employee_count,name', ['kilo', 'zulu', 'alfa', 'mike']],
      ['sort=employee_count:desc,name:asc', ['alfa', 'kilo', 'zulu', 'mike']],
      ['sort=employee_count:asc,name:desc', ['zulu', 'kilo', 'alfa', 'mike']],
    ])('sorts by %s', async (query, expected) => {
      expect(await list(query)).toEqual(expected)
      // Paging by number and by cursor returns the same order.
      const pages = [await list(`${query}&limit=3`), await list(`${query}&limit=3&page=2`)]
      expect(pages.flat()).toEqual(expected)
      const walked: unknown[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const url: string = `/v1/employers?industry=Sorting&${query}&limit=1&cursor=${cursor}`
        const answer = await board.get(url, key)
        walked.push(...idsOf(answer))
        cursor = answer.body.meta.pagination.next_cursor
      }
      expect(walked).toEqual(expected.map((name) => ids[name]))
    })

    test('echoes the sort', async () => {
      const answer = await board.get('/v1/employers?sort=employee_count:desc,name&industry=Sorting', key)
      expect(answer.body.meta.sort).toEqual({ fields: ['employee_count', 'name'], directions: ['desc', 'asc'] })
    })

    test.each<[string, Name[], Record<string, unknown>]>([
      ['name=ZULU', ['zulu'], { name: 'ZULU' }],
      ['name_in=zulu,Álfa', ['alfa', 'zulu'], { name_in: ['zulu', 'Álfa'] }],
      ['name_not=zulu', ['alfa', 'kilo', 'mike'], { name_not: 'zulu' }],
      ['location=alesund', ['zulu'], { location: 'alesund' }],
      ['location=Germany%20Berlin', ['mike'], { location: 'Germany Berlin' }],
      ['location=berl', [], { location: 'berl' }],
      ['location_in=zurich,alesund', ['kilo', 'zulu'], { location_in: ['zurich', 'alesund'] }],
      ['location_not=zurich', ['alfa', 'mike', 'zulu'], { location_not: 'zurich' }],
      ['employee_count=20', ['kilo', 'zulu'], { employee_count: 20 }],
      ['employee_count_gt=20', ['alfa'], { employee_count_gt: 20 }],
      [
        'employee_count_gte=20&employee_count_lt=300',
        ['kilo', 'zulu'],
        { employee_count_gte: 20, employee_count_lt: 300 },
      ],
      ['employee_count_lte=20', ['kilo', 'zulu'], { employee_count_lte: 20 }],
      ['employee_count_in=300,1', ['alfa'], { employee_count_in: [300, 1] }],
      ['employee_count_in=300,1000000000000', ['alfa'], { employee_count_in: [300, 1_000_000_000_000] }],
      ['employee_count_gt=2147483648', [], { employee_count_gt: 2_147_483_648 }],
      ['open_positions=0', ['alfa', 'kilo'], { open_positions: 0 }],
      ['open_positions_gte=1', ['mike', 'zulu'], { open_positions_gte: 1 }],
      ['open_positions_not=0', ['mike', 'zulu'], { open_positions_not: 0 }],
      ['created_at_gt=2100-01-01', [], { created_at_gt: '2100-01-01' }],
      ['created_at_lt=2100-01-01', ['alfa', 'kilo', 'mike', 'zulu'], { created_at_lt: '2100-01-01' }],
      ["name='%20or%20''='", [], { name: "' or ''='" }],
      ['name=%25', [], { name: '%' }],
    ])('filters by %s', async (query, expected, applied) => {
      expect(await list(query)).toEqual(expected)
      const { meta } = (await board.get(`/v1/employers?industry=Sorting&${query}`, key)).body
      expect(meta.filters_applied).toEqual({ industry: 'Sorting', ...applied })
      expect(meta.pagination.total).toBe(expected.length)
    })

    test('filters by included or excluded industries', async () => {
      const only = async (query: string) =>
        idsOf(await board.get(`/v1/employers?${query}&limit=100`, key)).includes(ids.zulu)
      expect(await only('industry_in=sorting,x')).toBe(true)
      expect(await only('industry_not=SORTING')).toBe(false)
      expect(await only('industry_not=x')).toBe(true)
    })

    test('keeps a cursor valid after its anchor employer leaves the list', async () => {
      const first = await board.get('/v1/employers?industry=Sorting&limit=2', key)
      const { next_cursor } = first.body.meta.pagination
      const anchor = idsOf(first)[1]!
      const move = (industry: string) =>
        board.database.inTx((tx) =>
          tx.updateTable('employer').set({ industry_sort: industry }).where('id', '=', anchor).execute(),
        )
      await move('elsewhere')
      const second = await board.get(`/v1/employers?industry=Sorting&limit=2&cursor=${next_cursor}`, key)
      await move('sorting')
      expect(idsOf(second)).toEqual([ids.mike, ids.zulu])
      expect(second.body.meta.pagination.total).toBe(3)
    })
  })

  status(400, () => {
    refusesBadPaging(board, collection)

    test.each([
      ['employee_count=many', 'employee_count invalid_parameter'],
      ['employee_count=1e3', 'employee_count invalid_parameter'],
      ['employee_count_gt=-1', 'employee_count_gt invalid_parameter'],
      ['employee_count=1&employee_count=2', 'employee_count invalid_parameter'],
      ['open_positions_in=1,two', 'open_positions_in invalid_parameter'],
      ['name_gt=a', 'name_gt invalid_parameter'],
      ['name=%00', 'name invalid_parameter'],
      [`location=${'x'.repeat(1_001)}`, 'location invalid_parameter'],
      ['website=x', 'website unknown_parameter'],
      ['sort=industry', 'sort invalid_parameter'],
      ['sort=relevance', 'sort invalid_parameter'],
    ])('refuses %s', async (query, fault) => {
      const { key } = await board.candidate()
      const answer = await board.get(`/v1/employers?${query}`, key)
      expect([answer.status, faultsOf(answer)]).toEqual([400, [fault]])
    })
  })
})
