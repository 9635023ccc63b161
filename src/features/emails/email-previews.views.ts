import { languageNames } from '../../locale/languages.ts'
import { t } from '../../locale/messages.ts'
import { button, withQuery } from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { kindName } from './emails.views.ts'

interface Previewed {
  kind: string
  number: number
}

interface Previews {
  emails: readonly (Previewed & { name: string | undefined })[]
  subject: string
  text: string
}

/** Returns the value of the parameter `email`, such as `application-status.2`. */
export const idOf = ({ kind, number }: Previewed): string => `${kind}.${number}`

export function renderPreviews(page: PageContext, form: Form, { emails, subject, text }: Previews): Html {
  const options = emails.map((one) => {
    const kind = kindName(one.kind)
    const label = one.name === undefined ? kind : t('emails.preview_of', { kind, name: one.name })
    return [idOf(one), label] as const
  })
  const languages = page.brand.languages.map((language) => [language, languageNames[language]] as const)
  const chosen = Object.fromEntries(['email', 'language', 'address'].map((name) => [name, form.value(name)]))
  const frame = (theme: 'light' | 'dark', title: string) =>
    html`<figure><figcaption>${title}</figcaption>
<iframe sandbox title="${title}" src="${page.frame(withQuery('/desk/emails/previews/message', { ...chosen, theme }))}"></iframe></figure>`
  return htmlPage(page, {
    title: t('emails.previews'),
  })`<p class="crumbs"><a href="/desk/emails">${t('menu.emails')}</a></p>
<h1>${t('emails.previews')}</h1>
<p class="lead">${t('emails.previews_lead')}</p>
<form class="row bottom filter-bar" action="/desk/emails/previews" aria-label="${t('emails.previews')}">
${form.select('email', t('emails.email'), Object.fromEntries(options))}
${form.select('language', t('emails.language'), Object.fromEntries(languages))}
${form.select('address', t('shared.email_address'), { confirmed: t('emails.confirmed'), unconfirmed: t('emails.unconfirmed') })}
${button(t('emails.show'), { variant: 'secondary' })}</form>
<h2 lang="${chosen.language}">${subject}</h2>
<div class="previews">
${frame('light', t('emails.light'))}
${frame('dark', t('emails.dark'))}
</div>
<h2>${t('emails.plain_text')}</h2>
<pre class="mail-text" lang="${chosen.language}">${text}</pre>`
}
