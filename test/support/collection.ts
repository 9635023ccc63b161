/** Shared tests of every list: both paging styles, and the errors of every invalid parameter. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Board, expectStatus } from './board.ts'
import { faultsOf } from './operation.ts'

/** A list of at least five resources, with their IDs in default order. */
export interface Collection {
  /** The path of the list. The query in the path may restrict the list to these resources. */
  path: string
  key: string
  ids: readonly string[]
  /** A sort order other than the default. */
  otherSort: string
  /** The time field to sort and filter by, if the list has no created_at. */
  time?: string
}

function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`
}

/** Returns the IDs in a response, or the job IDs in a list of saved jobs. */
export function idsOf(answer: Answer): string[] {
  return expectStatus(answer, 200).body.data.map((item: { id?: string; job_id?: string }) => item.id ?? item.job_id)
}

/** Returns the targets of a Link header, by relation. */
export function linksOf(answer: Answer): Record<string, string> {
  const links = (answer.headers.get('link') ?? '').split(', ')
  return Object.fromEntries(
    links.map((link) => {
      const [, target, relation] = /^<(.*)>; rel="(\w+)"$/.exec(link)!
      return [relation!, target!]
    }),
  )
}

function useCollection(make: () => Promise<Collection>) {
  const made = {} as { collection: Collection }
  beforeAll(async () => {
    made.collection = await make()
  })
  return made
}

/** Registers tests in the 200 block. */
export function pagesBothWays(board: Board, make: () => Promise<Collection>): void {
  describe('paging', () => {
    const made = useCollection(make)
    const get = (query: string) => board.get(withQuery(made.collection.path, query), made.collection.key)

    test('returns all items on one page of twenty by default', async () => {
      const { path, key, ids } = made.collection
      const answer = await board.get(path, key)
      expect(idsOf(answer)).toEqual(ids)
      expect(answer.body.meta.pagination).toEqual({
        total: ids.length,
        pages: 1,
        page: 1,
        limit: 20,
        has_more: false,
        next_cursor: null,
        prev_cursor: null,
      })
    })

    test('walks all pages by number, with each item once and working links', async () => {
      const { ids } = made.collection
      const pages = Math.ceil(ids.length / 2)
      for (let page = 1; page <= pages; page++) {
        const answer = await get(`limit=2&page=${page}`)
        expect(idsOf(answer)).toEqual(ids.slice((page - 1) * 2, page * 2))
        expect(answer.body.meta.pagination).toEqual({
          total: ids.length,
          pages,
          page,
          limit: 2,
          has_more: page < pages,
          next_cursor: page < pages ? expect.stringMatching(/^[\w-]+$/) : null,
          prev_cursor: page > 1 ? expect.stringMatching(/^[\w-]+$/) : null,
        })
        const links = linksOf(answer)
        expect(Object.keys(links)).toEqual([
          'first',
          ...(page > 1 ? ['prev'] : []),
          ...(page < pages ? ['next'] : []),
          'last',
        ])
        if (links.next) {
          expect(idsOf(await board.get(links.next, made.collection.key))).toEqual(ids.slice(page * 2, page * 2 + 2))
        }
        expect(idsOf(await board.get(links.last!, made.collection.key))).toEqual(ids.slice((pages - 1) * 2))
      }
    })

    test('walks by cursor to the end and back, without page numbers', async () => {
      const { ids, key } = made.collection
      const forward: string[][] = []
      let answer = await get('limit=2&cursor=')
      expect(answer.body.meta.pagination.prev_cursor).toBeNull()
      for (;;) {
        forward.push(idsOf(answer))
        const { pagination } = answer.body.meta
        expect(Object.keys(pagination).sort()).toEqual(['has_more', 'limit', 'next_cursor', 'prev_cursor', 'total'])
        expect([pagination.total, pagination.limit]).toEqual([ids.length, 2])
        expect(pagination.has_more).toBe(pagination.next_cursor !== null)
        if (pagination.next_cursor === null) break
        expect(linksOf(answer).next).toContain(`cursor=${pagination.next_cursor}`)
        answer = await get(`limit=2&cursor=${pagination.next_cursor}`)
      }
      expect(forward.flat()).toEqual(ids)
      const backward = [idsOf(answer)]
      for (let { prev } = linksOf(answer); prev !== undefined; { prev } = linksOf(answer)) {
        answer = await board.get(prev, key)
        backward.unshift(idsOf(answer))
      }
      expect(backward).toEqual(forward)
      expect(answer.body.meta.pagination.prev_cursor).toBeNull()
    })

    test('continues by cursor in both directions from a numbered page', async () => {
      const { ids } = made.collection
      const page = await get('limit=2&page=2')
      const { next_cursor, prev_cursor } = page.body.meta.pagination
      expect(idsOf(await get(`limit=2&cursor=${next_cursor}`))).toEqual(ids.slice(4, 6))
      expect(idsOf(await get(`limit=2&cursor=${prev_cursor}`))).toEqual(ids.slice(0, 2))
    })

    test('returns an empty page past the end, with the correct total', async () => {
      const { ids } = made.collection
      const answer = await get('limit=2&page=1000')
      expect(answer.status).toBe(200)
      expect(answer.body.data).toEqual([])
      const pages = Math.ceil(ids.length / 2)
      expect(answer.body.meta.pagination).toMatchObject({ total: ids.length, pages, page: 1000, has_more: false })
    })

    test('treats empty parameters as absent', async () => {
      const { ids } = made.collection
      expect(idsOf(await get('page=&limit=&sort=&order='))).toEqual(ids)
    })
  })
}

/** Registers tests in the 400 block. */
export function refusesBadPaging(board: Board, make: () => Promise<Collection>): void {
  describe('paging', () => {
    const made = useCollection(make)
    const named = (text: string) => text.replaceAll('created_at', made.collection.time ?? 'created_at')
    const get = (query: string) => board.get(withQuery(made.collection.path, named(query)), made.collection.key)

    test.each([
      ['limit=0', 'limit invalid_parameter'],
      ['limit=101', 'limit invalid_parameter'],
      ['limit=-1', 'limit invalid_parameter'],
      ['limit=2.0', 'limit invalid_parameter'],
      ['limit=1e1', 'limit invalid_parameter'],
      ['limit=%202', 'limit invalid_parameter'],
      ['limit=twenty', 'limit invalid_parameter'],
      ['limit=1&limit=1', 'limit invalid_parameter'],
      ['page=0', 'page invalid_parameter'],
      ['page=-1', 'page invalid_parameter'],
      ['page=1.5', 'page invalid_parameter'],
      ['page=99999999999999999999', 'page invalid_parameter'],
      ['order=up', 'order invalid_parameter'],
      ['sort=color', 'sort invalid_parameter'],
      ['sort=__proto__', 'sort invalid_parameter'],
      ['sort=created_at:up', 'sort invalid_parameter'],
      ['sort=created_at:asc:desc', 'sort invalid_parameter'],
      ['sort=created_at,created_at:desc', 'sort invalid_parameter'],
      ['sort=created_at,', 'sort invalid_parameter'],
      ['page=1&cursor=', 'cursor pagination_conflict'],
      ['page=2&cursor=abc', 'cursor pagination_conflict'],
      ['cursor=abc', 'cursor invalid_cursor'],
      ['cursor=%00', 'cursor invalid_cursor'],
      ['created_at=yesterday', 'created_at invalid_parameter'],
      ['created_at_gt=2026-02-30', 'created_at_gt invalid_parameter'],
      ['created_at_like=2026', 'created_at_like unknown_parameter'],
    ])('refuses %s', async (query, fault) => {
      const answer = await get(query)
      expect(answer.status).toBe(400)
      expect(faultsOf(answer)).toEqual([named(fault)])
      expect(answer.body.code).toBe(fault.split(' ')[1])
    })

    test('reports all errors at once, with the nearest known parameter', async () => {
      const answer = await get('limit=0&page=x&sort=color&lmit=5')
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_parameter'])
      expect(faultsOf(answer).sort()).toEqual([
        'limit invalid_parameter',
        'lmit unknown_parameter',
        'page invalid_parameter',
        'sort invalid_parameter',
      ])
      const unknown = answer.body.errors.find(({ parameter }: { parameter: string }) => parameter === 'lmit')
      expect(unknown.detail).toMatch(/Did you mean limit\?$/)
    })

    test('refuses a cursor that was altered or issued for another sort or filter', async () => {
      const { next_cursor } = (await get('limit=2')).body.meta.pagination
      const changed = next_cursor.slice(0, -1) + (next_cursor.endsWith('A') ? 'B' : 'A')
      const queries = [
        `cursor=${changed}`,
        `cursor=${next_cursor}=`,
        `cursor=${next_cursor}&sort=${made.collection.otherSort}`,
        `cursor=${next_cursor}&created_at_gt=2020-01-01`,
      ]
      for (const query of queries) {
        const answer = await get(query)
        expect([answer.status, answer.body.code], query).toEqual([400, 'invalid_cursor'])
      }
      expect((await get(`cursor=${next_cursor}`)).status).toBe(200)
    })
  })
}
