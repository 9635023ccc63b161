/** In a session from a key with few scopes, pages offer only permitted actions. */
import { beforeAll, expect, test } from 'vitest'
import { accountKinds } from '../../src/lib/api-keys.ts'
import { scopesOf } from '../../src/lib/scopes.ts'
import { useBoard } from '../support/board.ts'
import { type PageWorld, pageWorld } from '../support/page-world.ts'
import { visitor } from '../support/pages.ts'

const board = useBoard()
let world: PageWorld

beforeAll(async () => {
  world = await pageWorld(board)
})

/** Each key has a single scope, so every action that needs another scope is refused. */
const rows = accountKinds.flatMap((kind) =>
  scopesOf(kind)
    // Integrators and admins are tested only with the scopes of the console.
    .filter((scope) => kind === 'employer' || kind === 'candidate' || /^(?:profile|webhooks|jobs:read)/.test(scope))
    .map((scope) => [kind, scope] as const),
)

test.each(rows)('pages offer %s accounts with a %s key only actions that the key allows', async (kind, scope) => {
  const account = world.accounts[kind]
  const me = await visitor(board, { key: await board.keyWith(account, [scope]) })
  const offered = new Map<string, string>()
  const isPublic = (path: string) => /^\/(?:$|jobs(?:$|[/.?]job_\w+$|[.?])|companies|docs|v1|sign-)/.test(path)
  for (const path of world.paths[kind]) {
    const page = await me.get(path)
    if (page.status === 403) continue
    for (const link of page.document.querySelectorAll('a[href^="/"]')) {
      const href = link.getAttribute('href')!.split(/[?#]/)[0]!
      // Links to other languages would change the language of later pages.
      if (!isPublic(href) && !link.hasAttribute('hreflang')) offered.set(`GET ${href}`, path)
    }
    for (const form of page.document.querySelectorAll('form[method="post"]')) {
      offered.set(`POST ${form.getAttribute('action')!}`, path)
    }
  }
  const refused: string[] = []
  for (const [what, at] of offered) {
    const [method, path] = what.split(' ') as [string, string]
    if (path === '/sign-out') continue
    const { status, seen } = await me.send(method, path)
    // A form without a token is also refused, but only after the scope check.
    if (status === 403 && !seen.includes('This form has expired')) refused.push(`${what}, which ${at} offers`)
  }
  expect(refused).toEqual([])
})
