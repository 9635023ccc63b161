/** The board's own texts. Until an operator changes the default texts, readers see them in their own language. */
import { nameInWords } from './messages.ts'

interface BoardTexts {
  tagline: string | null
  description: string | null
}

export const taglineOf = ({ tagline }: Pick<BoardTexts, 'tagline'>): string | null =>
  tagline && nameInWords('brand.default_tagline', tagline)

export const descriptionOf = ({ description }: Pick<BoardTexts, 'description'>): string | null =>
  description && nameInWords('brand.default_description', description)
