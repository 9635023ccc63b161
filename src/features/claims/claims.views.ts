import { t } from '../../locale/messages.ts'
import { button, card, facts, linkTo, message, moment, postForm, wayTo } from '../../pages/components.ts'
import { type Form, optionsFor } from '../../pages/forms.ts'
import { type Content, type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import { rich } from '../../pages/text.ts'
import type { OwnEmployerRow } from '../employers/index.ts'
import { type Claim, claimMethods } from './claims.schemas.ts'
import { CLAIM_DAYS } from './claims.service.ts'

export const VERIFICATION = '/employer/verification'

interface VerificationView {
  /** The employer's own company, or the claimed one. */
  company: OwnEmployerRow
  /** Path of the page. */
  action: string
  /** The pending claim, if any. */
  claim: Claim | undefined
  form: Form
}

/** Renders the state of an employer's verification, or the claim to a company that a feed created. */
export function renderVerification(page: PageContext, { company, action, claim, form }: VerificationView): Html {
  const { name, website, verified_domain } = company
  const isOwn = company.account_id !== null
  const title = isOwn ? t('claims.title') : t('claims.title_of', { company: name })
  const profile = wayTo(page, t('employers.your_company'), '/employer/profile')
  const back = isOwn
    ? linkTo(page, t('employers.your_company'), '/employer/profile')
    : linkToPublic(page, company, name)
  return htmlPage(page, { title, width: 'narrow' })`${back && html`<p class="crumbs">${back}</p>`}
<h1>${title}</h1>
${verified_domain === null && html`<p class="lead">${isOwn ? t('claims.lead') : t('claims.lead_of')}</p>`}
${form.summary()}
${
  verified_domain !== null
    ? [
        message(
          html`<p>${t('claims.is_verified', { domain: verified_domain })}</p><p>${t('claims.until')}</p>`,
          'good',
        ),
        html`<p class="gap-top">${linkToPublic(page, company, t('employers.view_public'))}</p>`,
      ]
    : website === null
      ? message(
          html`<p>${isOwn ? t('claims.no_website') : t('claims.no_website_of')}</p>${isOwn && html`<p>${profile}</p>`}`,
        )
      : [claim && renderClaim(page, action, claim, form), renderMethods(page, action, claim, form)]
}`
}

const linkToPublic = (page: PageContext, { id }: OwnEmployerRow, text: string) =>
  page.has('/companies/:id') && linkTo(page, text, `/companies/${id}`)

function renderClaim(page: PageContext, action: string, claim: Claim, form: Form): Html {
  const { domain, problem, checked_at, expires_at } = claim
  const token = form.value('token')
  return card([
    html`<h2>${t('claims.prove', { domain })}</h2>`,
    problem !== null &&
      checked_at !== null &&
      message(
        html`<p>${t(`claims.problem_${problem}`)}</p><p class="small">${rich('shared.last_check', { time: moment(checked_at) })}</p>`,
        'warn',
      ),
    token === '' ? instructionsOf(claim) : html`<p>${t('claims.email_opened', { domain })}</p>`,
    html`<p class="small soft">${t('claims.expires')} ${moment(expires_at)}</p>`,
    (claim.method !== 'email' || token !== '') &&
      postForm(page, `${action}/check`, [
        token !== '' && html`<input type="hidden" name="token" value="${token}">`,
        button(t(token === '' ? 'claims.check' : 'claims.mail_button')),
      ]),
  ])
}

function instructionsOf({ domain, dns_record: record, file }: Claim): Content {
  if (record) {
    return [
      html`<p>${t('claims.dns_text')}</p>`,
      facts([
        [t('claims.record_name'), html`<code>${record.name}</code>`],
        [t('claims.record_type'), html`<code>${record.type}</code>`],
        [t('claims.record_value'), html`<code>${record.value}</code>`],
      ]),
    ]
  }
  if (file) {
    return [
      html`<p>${t('claims.file_text')}</p>`,
      facts([
        [t('claims.file_url'), html`<code>${file.url}</code>`],
        [t('claims.file_content'), html`<code>${file.content}</code>`],
      ]),
    ]
  }
  return html`<p>${t('claims.email_text', { domain })}</p>`
}

function renderMethods(page: PageContext, action: string, claim: Claim | undefined, form: Form): Html {
  return card([
    html`<h2>${t(claim ? 'claims.other' : 'claims.start')}</h2>`,
    postForm(page, action, [
      form.choices(
        'method',
        t('claims.method'),
        optionsFor(claimMethods, (method) => t(`claims.method_${method}`)),
        { type: 'radio', isRequired: true },
      ),
      form.emailField('email', t('shared.email_address'), { hint: t('claims.email_hint'), autocomplete: 'email' }),
      button(t('claims.begin'), { variant: claim ? 'secondary' : 'primary' }),
    ]),
    html`<p class="small soft">${t('claims.days', { days: CLAIM_DAYS })}</p>`,
  ])
}
