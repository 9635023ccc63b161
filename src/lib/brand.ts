import type { Language } from '../locale/languages.ts'
import type { Billing } from './billing.ts'
import { escapeXml, xmlElement } from './xml.ts'

/** The board's name and appearance on pages, in emails, in feeds and in the API reference. */
export interface Brand {
  readonly name: string
  /** One sentence about the board. */
  readonly tagline: string | null
  /** For search engines and the API reference. */
  readonly description: string | null
  /** The logo's path, which changes with its content, and its size in pixels. */
  readonly logo: { readonly path: string; readonly width: number; readonly height: number } | null
  /** `#rrggbb` in lowercase. */
  readonly accentColor: string | null
  readonly contactEmail: string | null
  /** The languages that readers can choose, including the default language. */
  readonly languages: readonly Language[]
  readonly defaultLanguage: Language
  /** The legal pages, in display order. */
  readonly pages: readonly { readonly slug: string; readonly title: string }[]
  readonly billing: Billing
  /** Whether an admin has set up the board. Until then, the other members contain suggestions. */
  readonly isSetUp: boolean
}

/** The color that is used if the board has no color. Must match the default in the style sheets. */
export const DEFAULT_COLOR = '#0b6472'

/**
 * Returns the first letter or digit of a name, in uppercase, or an empty string if there is none. Icons show this
 * initial.
 */
export function initialOf(name: string): string {
  const [initial = ''] = name.match(/[\p{L}\p{N}]\p{M}*/u) ?? []
  return initial.toUpperCase()
}

/** Returns the colors of the board's icon: the background, and a letter color that contrasts with it. */
export function iconColors({ accentColor }: Pick<Brand, 'accentColor'>): { ground: string; letter: string } {
  const ground = accentColor ?? DEFAULT_COLOR
  return { ground, letter: luminanceOf(ground) > LIGHT ? '#1a1d21' : '#ffffff' }
}

/** Returns the board's icon: an SVG image with the initial of the board's name on the board's color. */
export function drawIcon({ name, accentColor }: Pick<Brand, 'name' | 'accentColor'>): string {
  const { ground, letter } = iconColors({ accentColor })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${xmlElement('title', name)}<rect width="32" height="32" rx="9" fill="${ground}"/><text x="16" y="23" text-anchor="middle" font-family="system-ui,sans-serif" font-size="20" font-weight="700" fill="${letter}">${escapeXml(initialOf(name))}</text></svg>`
}

/** Luminance above which letters in `#1a1d21` contrast more than white letters. */
const LIGHT = 0.205

/** Returns the relative luminance of a color (WCAG 2.2). */
function luminanceOf(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Backgrounds of emails and plain pages, on which the board's color must be readable. */
const grounds = { light: '#f8f7f4', dark: '#1a1d20' } as const
/** Minimum contrast of text (WCAG 2.2, level AA). */
const CONTRAST_MIN = 4.5

function contrastOf(one: string, other: string): number {
  const [high, low] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

/**
 * Returns the board's color, darkened or lightened until text in this color is readable on the theme's background.
 * White text on the light theme's color, and black text on the dark theme's color, are then readable too.
 */
export function readableColor({ accentColor }: Pick<Brand, 'accentColor'>, theme: keyof typeof grounds): string {
  let color = accentColor ?? DEFAULT_COLOR
  const goal = theme === 'light' ? 0 : 255
  while (contrastOf(color, grounds[theme]) < CONTRAST_MIN) {
    const parts = [1, 3, 5].map((at) => {
      const value = Number.parseInt(color.slice(at, at + 2), 16)
      const next = goal === 0 ? Math.floor(value * 0.94) : Math.ceil(value + (255 - value) * 0.06)
      return next.toString(16).padStart(2, '0')
    })
    color = `#${parts.join('')}`
  }
  return color
}
