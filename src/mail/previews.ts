/** Previews of every kind of email, with fictional data. */
import { inLocale, type Locale } from '../locale/locale.ts'
import { type Face, neutralMessage, oneLine, renderHtml, renderText, type Theme } from './layout.ts'
import type { MailKind, MailSample } from './queue.ts'
import { SAMPLE_ID } from './samples.ts'

export interface PreviewedMail {
  kind: MailKind
  /** Position of the sample among the samples of its kind. */
  number: number
}

/** A sample, and how it is shown. */
export interface PreviewChoice extends PreviewedMail {
  locale: Locale
  /** Whether the recipient has confirmed the email address. */
  isConfirmed: boolean
}

type Kinds = Readonly<Partial<Record<MailKind, { samples(): readonly MailSample[] }>>>

export class MailPreviews {
  readonly #kinds: () => Kinds
  readonly #face: () => Face

  constructor(kinds: () => Kinds, face: () => Face) {
    this.#kinds = kinds
    this.#face = face
  }

  /** Returns every sample, with its name in the current language. */
  list(): (PreviewedMail & { name: string | undefined })[] {
    return Object.entries(this.#kinds()).flatMap(([kind, { samples }]) =>
      samples().map(({ name }, number) => ({ kind: kind as MailKind, number, name })),
    )
  }

  drawText(choice: PreviewChoice): { subject: string; text: string } {
    return inLocale(choice.locale, () => {
      const { message, footer } = this.#compose(choice)
      return { subject: oneLine(message.subject), text: renderText(message, footer, this.#face()) }
    })
  }

  drawHtml(choice: PreviewChoice, theme: Theme): string {
    return inLocale(choice.locale, () => {
      const { message, footer } = this.#compose(choice)
      return renderHtml(message, footer, this.#face(), theme)
    })
  }

  #compose({ kind, number, isConfirmed }: PreviewChoice) {
    const { message } = this.#kinds()[kind]!.samples()[number]!
    const { origin } = this.#face()
    const footer = {
      unsubscribeUrl: message.unsubscribeId && `${origin}/unsubscribe/${SAMPLE_ID}`,
      neverUrl: `${origin}/unsubscribe/${SAMPLE_ID}`,
    }
    if (isConfirmed) return { message, footer }
    const confirmUrl = kind === 'sign-in' ? undefined : `${origin}/confirm-email/${SAMPLE_ID}`
    return { message: neutralMessage(message, confirmUrl), footer }
  }
}
