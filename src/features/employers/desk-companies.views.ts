import { formatNumber } from '../../locale/formats.ts'
import { t } from '../../locale/messages.ts'
import { badge, button, confirmedAction, day, listTable, noneFound } from '../../pages/components.ts'
import type { Form } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { sentences } from '../../pages/text.ts'
import type { DeskCompanyRow } from './employers.queries.ts'

/** Renders the list of companies. `found` is undefined if the query was invalid. */
export function renderDeskCompanies(page: PageContext, form: Form, found: Listed<DeskCompanyRow> | undefined): Html {
  const [title, openJobs] = [t('menu.companies'), t('companies.open_jobs_label')]
  const empty = noneFound(t('companies.none'), '/desk/companies', t('companies.show_every'))
  return htmlPage(page, { title })`<h1>${title}</h1>
${form.summary()}
<form class="row bottom" action="/desk/companies" role="search" aria-label="${title}">
${form.field('search', t('companies.name_or_id'), { type: 'search', maxlength: 1000 })}
${button(t('shared.search'), { variant: 'secondary' })}</form>
${found && html`<p role="status" class="soft">${t('companies.count', { count: found.pagination.total })}</p>`}
${listTable(
  page,
  title,
  { found, numbers: [openJobs], empty },
  ({ id, name, location, open_positions, created_at, account_id, is_suspended, verified_domain, has_claimed }) => ({
    [t('shared.name')]: [
      is_suspended
        ? html`<b>${name}</b> ${badge(t('shared.suspended'), 'bad')}`
        : html`<a class="strong" href="/companies/${id}">${name}</a>`,
      location !== null && html`<br><span class="soft small">${location}</span>`,
    ],
    [t('companies.verified_domain')]: (verified_domain !== null || has_claimed) && [
      verified_domain,
      confirmedAction(page, {
        action: `/desk/companies/${id}/unverify`,
        text: t(verified_domain === null ? 'claims.release' : 'claims.remove'),
        question: html`<p>${sentences(
          verified_domain !== null && t('claims.remove_question', { name }),
          has_claimed && t('claims.release_question', { name }),
        )}</p>`,
      }),
    ],
    [openJobs]: formatNumber(open_positions),
    [t('shared.created')]: day(created_at.toISOString()),
    [t('companies.account')]:
      account_id === null
        ? html`<span class="soft">${t('companies.no_account')}</span>`
        : page.has('/desk/accounts/:id')
          ? html`<a href="/desk/accounts/${account_id}">${t('companies.account')}<span class="hide"> ${name}</span></a>`
          : '',
  }),
)}`
}
