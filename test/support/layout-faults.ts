/** Finds text that a page cuts off or that overflows its box. */
import type { Page } from 'playwright-core'

interface Box {
  left: number
  right: number
  top: number
  bottom: number
  width: number
  height: number
}
interface Element {
  tagName: string
  className: unknown
  parentElement: Element | null
  clientWidth: number
  placeholder?: string
  value: string
  type: string
  selectedOptions?: { text: string }[]
  getBoundingClientRect(): Box
  checkVisibility(): boolean
  matches(selector: string): boolean
  closest(selector: string): Element | null
}
interface TextNode {
  data: string
  parentElement: Element
}
interface Style {
  clipPath: string
  overflowX: string
  overflowY: string
  textOverflow: string
  display: string
  font: string
  paddingLeft: string
  paddingRight: string
}
interface Browser {
  document: {
    body: Element
    documentElement: { scrollWidth: number; clientWidth: number }
    createRange(): {
      setStart(node: TextNode, offset: number): void
      setEnd(node: TextNode, offset: number): void
      selectNodeContents(node: TextNode): void
      getClientRects(): Iterable<Box>
    }
    createTreeWalker(root: Element, what: number): { nextNode(): TextNode | null }
    createElement(name: 'canvas'): {
      getContext(kind: '2d'): { font: string; measureText(text: string): { width: number } }
    }
    querySelectorAll(selector: string): Iterable<Element>
  }
  innerWidth: number
  getComputedStyle(element: Element): Style
}

/**
 * Returns one line for each text that leaves the window, its button or a box that hides the overflow. An ellipsis and a
 * box that scrolls are intended. Also returns one line for each heading, label or button with a word broken between
 * letters, and one for each field that is too narrow for its content. The content is the placeholder or the selected
 * option. Finally, returns a line if the page scrolls sideways.
 */
export function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { document, innerWidth, getComputedStyle } = globalThis as unknown as Browser
    const faults = new Set<string>()
    const styles = new Map<Element, Style>()
    const styleOf = (element: Element) => {
      const style = styles.get(element) ?? getComputedStyle(element)
      styles.set(element, style)
      return style
    }
    const nameOf = ({ tagName, className }: Element) => `${tagName.toLowerCase()}${className && `.${className}`}`
    const isHiding = (overflow: string) => overflow === 'hidden' || overflow === 'clip'
    const isScrolling = (overflow: string) => overflow === 'auto' || overflow === 'scroll'
    const range = document.createRange()

    /** Returns how a box or the window cuts off this element's text, or undefined if the text is complete. */
    const cutBy = (element: Element, { left, right, top, bottom }: Box): string | undefined => {
      for (let box: Element | null = element; box; box = box.parentElement) {
        const { clipPath, overflowX, overflowY, textOverflow } = styleOf(box)
        // Only screen readers read this text.
        if (clipPath !== 'none') return undefined
        const isButton = box.matches('a.btn, button, summary, .badge, .chip')
        const around = box.getBoundingClientRect()
        const isWide = left < around.left - 1 || right > around.right + 1
        const isTall = top < around.top - 1 || bottom > around.bottom + 1
        if (isWide && textOverflow === 'ellipsis') return undefined
        if (isWide && (isButton || isHiding(overflowX))) return `wider than ${nameOf(box)}`
        if (isTall && (isButton || isHiding(overflowY))) return `taller than ${nameOf(box)}`
        if (isScrolling(overflowX) || isScrolling(overflowY)) return undefined
      }
      return left < -1 || right > innerWidth + 1 ? 'outside the window' : undefined
    }

    const walker = document.createTreeWalker(document.body, 4)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const { data, parentElement: element } = node
      if (data.trim() === '' || element.closest('script, select, noscript') || !element.checkVisibility()) continue
      range.selectNodeContents(node)
      const boxes = [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0)
      for (const box of boxes) {
        const cut = cutBy(element, box)
        if (cut) faults.add(`“${data.trim().slice(0, 50)}” is ${cut}`)
      }
      if (boxes.length < 2 || !element.closest('h1, h2, h3, dt, th, label, legend, button, .btn, nav')) continue
      for (const { 0: word, index } of data.matchAll(/\p{Script=Latin}{2,}/gu)) {
        range.setStart(node, index)
        range.setEnd(node, index + word.length)
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) {
          faults.add(`“${word}” is broken between letters in ${nameOf(element)}`)
        }
      }
    }

    const pen = document.createElement('canvas').getContext('2d')
    for (const field of document.querySelectorAll('input, select')) {
      const text = field.selectedOptions?.[0]?.text ?? (field.value === '' ? field.placeholder : '')
      if (!text || field.clientWidth === 0 || field.closest('.hide')) continue
      const { font, paddingLeft, paddingRight } = styleOf(field)
      pen.font = font
      const arrow = field.tagName === 'SELECT' ? 16 : 0
      const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) - arrow
      const isCut = pen.measureText(text).width > room + 1
      if (isCut) faults.add(`“${text}” does not fit its ${field.tagName.toLowerCase()}`)
    }
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth > clientWidth) faults.add('the page is wider than the window')
    return [...faults]
  })
}
