/** Opens pages in Chromium and checks them with axe-core. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import type { Account, Board } from './board.ts'
import { Visitor, visitor } from './pages.ts'

const firstInstalled = (...paths: (string | undefined)[]) =>
  paths.find((path) => path !== undefined && existsSync(path))

/** Undefined if Chromium is not installed. */
export const chromiumPath = firstInstalled(process.env.CHROMIUM_PATH, '/usr/bin/chromium')

/** Chromium without a window, a PDF viewer or site icons. It opens a page in two thirds of full Chromium's CPU time. */
const shellPath = process.env.CHROMIUM_PATH ? undefined : firstInstalled('/usr/bin/chromium-headless-shell')

/** A board's origin in browser tests. With an https origin, the browser would not send the Secure cookies. */
export const BROWSER_ORIGIN = 'http://127.0.0.1'

const launched = new Map<string, Promise<Browser>>()

/** Returns the worker's browser. Playwright ends it with the worker. */
export function browserOfWorker({ isFull = false } = {}): Promise<Browser> {
  const path = (!isFull && shellPath) || chromiumPath!
  const browser = launched.get(path) ?? chromium.launch({ executablePath: path, args: ['--no-sandbox'] })
  launched.set(path, browser)
  return browser
}

/** Closes all profiles of the worker's browsers at the end of a test file. */
export async function closeContexts(): Promise<void> {
  inspectors.clear()
  for (const browser of launched.values()) {
    for (const context of (await browser).contexts()) await context.close()
  }
}

export interface View {
  width?: number
  scheme?: 'light' | 'dark'
  hasScript?: boolean
  /** Whether the browser has a PDF viewer and site icons. */
  isFull?: boolean
}

/** Returns a desktop view with JavaScript, or a phone view without it. */
export const viewOf = (hasScript: boolean): View => ({ hasScript, width: hasScript ? 1_280 : 360 })

/** The API key with which a reader signs in, or the cookies of a visitor. */
type Reader = Pick<Account, 'key'> | Visitor

/** Opens a separate browser profile, signed in if a reader is given. */
export async function openContext(
  board: Board,
  { width = 1_280, scheme = 'light', hasScript = true, isFull = false }: View = {},
  reader?: Reader,
): Promise<BrowserContext> {
  const context = await (await browserOfWorker({ isFull })).newContext({
    baseURL: board.address,
    viewport: { width, height: 900 },
    colorScheme: scheme,
    javaScriptEnabled: hasScript,
    reducedMotion: 'reduce',
  })
  if (reader) {
    const { cookies } = reader instanceof Visitor ? reader : await visitor(board, reader)
    await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: board.address })))
  }
  return context
}

/**
 * Returns a function that reads the page's heading. Poll the function, because a click or a key press may still be
 * loading the next page.
 */
export const headingOf = (page: Page) => () => page.getByRole('heading', { level: 1 }).textContent()

/** Returns a function that reads the notice at the top of the page. Poll the function for the same reason. */
export const noticeOf = (page: Page) => () => page.getByRole('status').filter({ hasText: /\S/ }).textContent()

/** Collects a page's uncaught exceptions and its console errors, which include failed requests. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return complaints
}

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** The axe-core rules whose results depend on colors. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** The texts that axe-core accepted in this worker, by their colors, fonts and backgrounds. */
const acceptedTexts = new Set<string>()

/**
 * Returns the axe-core violations of any impact, one line each. Default: all rules, including best practices. Checks
 * the contrast of only one text for each combination of color, font and background, because these checks take as long
 * as all other rules.
 */
export async function axeFindings(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe)
  const { findings, accepted } = await page.evaluate(
    async ({ runOnly, known }) => {
      interface Result {
        violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[]
      }
      interface Box {
        parentElement: Box | null
      }
      interface Axe {
        _audit: {
          rules: { id: string; matches(element: Box, ...more: unknown[]): boolean }[]
          checks: Record<string, { evaluate(element: Box, ...more: unknown[]): boolean | undefined }>
        }
        commons: { dom: { isVisibleOnScreen(element: Box): boolean } }
        accepted?: Set<string>
        run(options: object): Promise<Result>
      }
      const { axe, getComputedStyle } = globalThis as unknown as {
        axe: Axe
        getComputedStyle(box: Box): Record<string, string>
      }
      /** Returns the styles that decide a text's contrast, or undefined if images, effects or boxes may affect it. */
      const lookOf = (element: Box): string | undefined => {
        const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element)
        const look = [color, fontSize, fontWeight, textShadow]
        let isOpaque = false
        for (let box: Box | null = element; box; box = box.parentElement) {
          const style = getComputedStyle(box)
          if (style.opacity !== '1' || style.filter !== 'none' || style.mixBlendMode !== 'normal') return undefined
          if (isOpaque) continue
          if (style.backgroundImage !== 'none') return undefined
          if (style.backgroundColor !== 'rgba(0, 0, 0, 0)') look.push(style.backgroundColor!)
          isOpaque = /^rgb\(/.test(style.backgroundColor!)
          const isMoved = !/^(static|relative)$/.test(style.position!) || style.transform !== 'none'
          if (!isOpaque && (isMoved || style.float !== 'none' || style.margin!.includes('-'))) return undefined
        }
        return look.join()
      }
      if (!axe.accepted) {
        const accepted = new Set(known)
        axe.accepted = accepted
        const rule = axe._audit.rules.find(({ id }) => id === 'color-contrast')!
        const { matches } = rule
        rule.matches = (element, ...more) => !accepted.has(lookOf(element)!) && matches(element, ...more)
        const check = axe._audit.checks['color-contrast']!
        const { evaluate } = check
        check.evaluate = function (element, ...more) {
          const isAccepted = evaluate.call(this, element, ...more)
          const look = isAccepted && axe.commons.dom.isVisibleOnScreen(element) && lookOf(element)
          if (look) accepted.add(look)
          return isAccepted
        }
      }
      const { violations } = await axe.run({
        // By default, axe also describes every element that passes, which takes longer than the rules.
        resultTypes: ['violations'],
        // By default, axe also reads all styles, for an experimental rule that does not run.
        preload: { assets: ['media'] },
        ...(runOnly && { runOnly }),
      })
      const findings = violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')}: ${failureSummary}`),
      )
      return { findings, accepted: [...axe.accepted] }
    },
    { runOnly: rules, known: [...acceptedTexts] },
  )
  for (const look of accepted) acceptedTexts.add(look)
  return findings
}

/** Returns the page's layout shift, except shifts caused by user input. Web Vitals rates values up to 0.1 as good. */
export function layoutShiftOf(page: Page): Promise<number> {
  return page.evaluate(async () => {
    interface Shift {
      value: number
      hadRecentInput: boolean
    }
    const { PerformanceObserver, requestAnimationFrame } = globalThis as unknown as {
      PerformanceObserver: new (
        found: (list: { getEntries(): Shift[] }) => void,
      ) => { observe(options: object): void; takeRecords(): Shift[] }
      requestAnimationFrame(next: () => void): void
    }
    let sum = 0
    const add = (shifts: Shift[]) => {
      for (const { value, hadRecentInput } of shifts) if (!hadRecentInput) sum += value
    }
    const observer = new PerformanceObserver((list) => add(list.getEntries()))
    observer.observe({ type: 'layout-shift', buffered: true })
    // Layout shifts are reported after drawing.
    for (let frame = 0; frame < 3; frame++) await new Promise<void>((resolve) => requestAnimationFrame(resolve))
    await new Promise((resolve) => setTimeout(resolve))
    add(observer.takeRecords())
    return sum
  })
}

/** Returns one line if the page's layout shifted by 0.01 or more while it loaded. */
export async function shiftFaults(page: Page): Promise<string[]> {
  const shift = await layoutShiftOf(page)
  return shift < 0.01 ? [] : [`${page.viewportSize()!.width}: the layout shifted by ${shift}`]
}

/** Returns whether the page is wider than the window. */
export function isScrolledSideways(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = (globalThis as unknown as { document: { documentElement: HTMLElementLike } })
      .document.documentElement
    return scrollWidth > clientWidth
  })
}

interface HTMLElementLike {
  scrollWidth: number
  clientWidth: number
}

export const widths = [360, 768, 1_280] as const

/** Phones and computers show different elements. Other widths show no further elements. */
const AXE_WIDTHS: readonly number[] = [360, 1_280]

/** A page that `inspectPage` uses for one visitor or account, and its console errors. */
interface Inspector {
  page: Page
  complaints: string[]
  scheme: 'light' | 'dark'
}

/** The inspectors of a test file, by API key or visitor. Opening one takes as long as all other checks of a page. */
const inspectors = new Map<string | Visitor | undefined, Promise<Inspector>>()

async function openInspector(board: Board, reader?: Reader): Promise<Inspector> {
  const page = await (await openContext(board, {}, reader)).newPage()
  await page.addInitScript(axe)
  return { page, complaints: complaintsOf(page), scheme: 'light' }
}

/**
 * Checks a page with axe-core on a phone and a computer, in light and dark mode. Also checks that its layout does not
 * shift while it loads, that no width makes it scroll sideways, and that it logs no errors. Returns one line for each
 * fault. Saves screenshots if `PICTURES` names a folder.
 */
export async function inspectPage(board: Board, path: string, reader?: Reader): Promise<string[]> {
  const found: string[] = []
  const who = reader instanceof Visitor ? reader : reader?.key
  const opening = inspectors.get(who) ?? openInspector(board, reader)
  inspectors.set(who, opening)
  const inspector = await opening
  const { page, complaints } = inspector
  complaints.length = 0
  const answer = await page.goto(path)
  found.push(...(await shiftFaults(page)).map((fault) => `${path} ${fault}`))
  for (const width of widths) {
    if (page.viewportSize()!.width !== width) await page.setViewportSize({ width, height: 900 })
    if (await isScrolledSideways(page)) found.push(`${path} ${width}: wider than the window`)
    if (!AXE_WIDTHS.includes(width) && !process.env.PICTURES) continue
    // The color scheme changes only colors.
    for (const rules of [undefined, COLOR_RULES]) {
      if (rules) {
        inspector.scheme = inspector.scheme === 'light' ? 'dark' : 'light'
        await page.emulateMedia({ colorScheme: inspector.scheme })
      }
      if (AXE_WIDTHS.includes(width)) {
        const findings = await axeFindings(page, rules)
        found.push(...findings.map((finding) => `${path} ${width} ${inspector.scheme}: ${finding}`))
      }
      if (process.env.PICTURES) {
        const name = path.replace(/\W+/g, '-').slice(0, 60)
        const file = `${name}-${width}-${inspector.scheme}.png`
        await page.screenshot({ path: `${process.env.PICTURES}/${file}`, fullPage: true })
      }
    }
  }
  // Chromium logs every error status.
  const isError = (answer?.status() ?? 0) >= 400
  found.push(...complaints.filter((text) => !(isError && text.includes('status of'))).map((text) => `${path}: ${text}`))
  return found
}
