/** Types for the members of opentype.js that the service uses. The types on npm also declare browser globals. */
declare module 'opentype.js' {
  interface Glyph {
    advanceWidth?: number
    getPath(x: number, y: number, size: number): { toPathData(decimals: number): string }
  }
  export interface Font {
    unitsPerEm: number
    /** Returns 0 if the font lacks the character. */
    charToGlyphIndex(character: string): number
    charToGlyph(character: string): Glyph
  }
  const opentype: { parse(buffer: ArrayBuffer): Font }
  export default opentype
}
