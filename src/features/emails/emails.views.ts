import { isMessageKey, type MessageKey, t } from '../../locale/messages.ts'
import {
  actionButton,
  badge,
  buttonLink,
  card,
  facts,
  filterForm,
  linkTo,
  listTable,
  moment,
  noneFound,
  type Tone,
  withQuery,
} from '../../pages/components.ts'
import { type Form, optionsFor } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { breakable } from '../../pages/text.ts'
import { mailKinds } from './emails.queries.ts'
import { type Email, resendable } from './emails.schemas.ts'

export function kindName(kind: string): string {
  const key = `emails.kind_${kind}`
  return isMessageKey(key) ? t(key) : kind
}

const states: Readonly<Record<Email['state'], { text: MessageKey; tone: Tone }>> = {
  pending: { text: 'emails.queued', tone: 'plain' },
  sent: { text: 'emails.sent', tone: 'good' },
  failed: { text: 'shared.failed', tone: 'bad' },
  unknown: { text: 'emails.may_have_arrived', tone: 'warn' },
  dropped: { text: 'emails.not_sent', tone: 'plain' },
}

function reasonOf({ state, error }: Email): string | null {
  const key = `emails.dropped_${error}`
  return state === 'dropped' && isMessageKey(key) ? t(key) : error
}

const emailStates = Object.keys(states) as Email['state'][]
const nameOfState = (state: Email['state']) => t(states[state].text)
const stateBadge = ({ state }: Email) => badge(nameOfState(state), states[state].tone)

/** Email addresses may wrap only after the at sign. */
const AFTER_AT = /(?<=@)/

/** Renders the list. `found` is undefined if the query was invalid. */
export function renderEmails(page: PageContext, form: Form, found: Listed<Email> | undefined): Html {
  const { total = 0 } = found?.pagination ?? {}
  const empty = noneFound(t('emails.none'), '/desk/emails', t('emails.show_all'))
  return htmlPage(page, { title: t('menu.emails') })`<div class="row page-head"><h1>${t('menu.emails')}</h1>
${buttonLink(t('emails.view_previews'), '/desk/emails/previews')}</div>
<p class="lead">${t('emails.lead')}</p>
${form.summary()}
${filterForm(
  '/desk/emails',
  form,
  [
    form.field('to', t('emails.to'), { hint: t('emails.to_hint'), type: 'search', maxlength: 320 }),
    form.select('state', t('shared.state'), optionsFor(emailStates, nameOfState, t('shared.any'))),
    form.select('kind', t('shared.type'), optionsFor(mailKinds, kindName, t('shared.any'))),
  ],
  { submit: t('shared.search') },
)}
${found && html`<p role="status" class="soft">${t('emails.found', { count: total })}</p>`}
${
  found?.items.some(({ state }) => state === 'failed') &&
  actionButton(page, { action: '/desk/emails/retry', text: t('emails.retry_all') })
}
${listTable(page, t('menu.emails'), { found, empty }, (email) => {
  const reason = reasonOf(email)
  return {
    [t('emails.to')]:
      html`<a class="strong" href="/desk/emails/${email.id}">${breakable(email.to ?? email.account_id, AFTER_AT)}</a>`,
    [t('shared.type')]: kindName(email.kind),
    [t('shared.when')]: moment(email.created_at),
    [t('shared.state')]: [stateBadge(email), reason !== null && html`<br><span class="soft small">${reason}</span>`],
  }
})}`
}

interface Shown {
  email: Email
  /** IDs of the emails that repeat this one. */
  repeats: readonly string[]
}

export function renderEmail(page: PageContext, form: Form, { email, repeats }: Shown): Html {
  const { id, kind, state, settled_at } = email
  const title = kindName(kind)
  const resendableState = resendable.find((one) => one === state)
  const emailLink = (other: string) => html`<a href="/desk/emails/${other}"><code>${other}</code></a>`
  const resending = {
    sent: t('emails.composed_anew'),
    failed: t('emails.composed_again'),
    unknown: t('emails.may_arrive_twice'),
  }
  return htmlPage(page, { title })`<p class="crumbs"><a href="/desk/emails">${t('menu.emails')}</a></p>
<div class="row page-head"><h1>${title}</h1>${stateBadge(email)}</div>
${form.summary()}
${card(
  facts([
    [t('emails.to'), email.to],
    [
      t('emails.account'),
      html`<span class="code">${linkTo(page, email.account_id, `/desk/accounts/${email.account_id}`)}</span>`,
    ],
    [t('emails.about'), html`<code>${email.subject_id}</code>`],
    [t('shared.reference'), html`<code>${id}</code>`],
    [t('emails.reason'), reasonOf(email)],
    [t('emails.attempts'), String(email.attempts)],
    [t('emails.queued_at'), moment(email.created_at)],
    [t('emails.next_attempt'), state === 'pending' && moment(email.due_at)],
    [t(state === 'sent' ? 'emails.sent_at' : 'emails.ended_at'), settled_at && moment(settled_at)],
    [t('emails.repeats'), email.repeats && emailLink(email.repeats)],
    [t('emails.repeated_by'), repeats.length > 0 && repeats.map((one, n) => [n > 0 && html`<br>`, emailLink(one)])],
  ]),
)}
${
  resendableState && [
    html`<p class="soft">${resending[resendableState]}</p>`,
    actionButton(page, { action: `/desk/emails/${id}/retry`, text: t('emails.send_again') }),
  ]
}
<p><a href="${withQuery('/desk/emails/previews', { email: `${kind}.0` })}">${t('emails.view_preview')}</a></p>`
}
