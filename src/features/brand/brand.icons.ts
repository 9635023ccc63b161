/** The board's icons as PNG, for home screens and browsers that cannot show SVG icons. */
import { drawBoardIcon } from '../../files/share-picture.ts'
import type { Brand } from '../../lib/brand.ts'

/**
 * The paths of the icons, and their width and height in pixels. iOS requests `/apple-touch-icon.png`. The manifest
 * lists all icons.
 */
export const boardIcons = { '/apple-touch-icon.png': 180, '/icon-192.png': 192, '/icon-512.png': 512 } as const

/** Icons by brand. Each change to the brand creates a new object, so an icon never outlives its brand. */
const drawn = new WeakMap<Brand, Map<number, Promise<Buffer>>>()

/** Returns an icon, drawn on first use. Throws `unavailable` if too much work is queued. */
export function boardIcon(brand: Brand, side: number): Promise<Buffer> {
  const icons = drawn.get(brand) ?? new Map<number, Promise<Buffer>>()
  drawn.set(brand, icons)
  const icon =
    icons.get(side) ??
    drawBoardIcon(brand, side).catch((error) => {
      icons.delete(side)
      throw error
    })
  icons.set(side, icon)
  return icon
}
