/**
 * Takes the README's screenshots of the demo board and saves them in `docs/pictures`:
 * `node bin/node.js scripts/pictures.ts`. Requires Chromium.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'

const PORT = '3917'
const repository = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'pictures-'))
const pictures = join(repository, 'docs/pictures')
mkdirSync(pictures, { recursive: true })

/** The page in each screenshot, and the account (if any) that signs in. */
const views = [
  { name: 'board', path: '/jobs?search=battery' },
  { name: 'employer', account: 'employer', path: '/employer/applications' },
  { name: 'console', account: 'operator', path: '/console/events' },
] as const

const board = spawn(process.execPath, [join(repository, 'bin/job-marketplace.js'), 'trial'], {
  cwd: repository,
  env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT, DATA_DIR: folder, LOG_LEVEL: 'fatal' },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const keys = new Map<string, string>()
  for await (const line of createInterface(board.stdout)) {
    const [, account, key] = /^ {2}(operator|employer|candidate)\b.* (jm_\w+)$/.exec(line) ?? []
    if (account) keys.set(account, key!)
    if (keys.size === 3) break
  }
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  })
  for (const view of views) {
    const page = await browser.newPage({
      baseURL: `http://127.0.0.1:${PORT}`,
      viewport: { width: 1_024, height: 640 },
      colorScheme: 'light',
    })
    if ('account' in view) {
      await page.goto('/sign-in')
      await page.locator('input[name=api_key]').fill(keys.get(view.account)!)
      await page
        .locator('form', { has: page.locator('input[name=api_key]') })
        .locator('button')
        .click()
      await page.waitForURL((url) => url.pathname !== '/sign-in')
    }
    const response = await page.goto(view.path)
    if (!response?.ok()) throw new Error(`${view.path}: ${response?.status()}`)
    await page.screenshot({ path: join(pictures, `${view.name}.png`) })
    await page.close()
  }
  await browser.close()
} finally {
  board.kill()
  await once(board, 'exit')
  rmSync(folder, { recursive: true, force: true })
}
