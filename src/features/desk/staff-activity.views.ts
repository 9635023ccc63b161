import type { OperatorActionTable } from '../../db/schema.ts'
import { t } from '../../locale/messages.ts'
import { day, emptyState, filterForm, noneFound, pagination } from '../../pages/components.ts'
import { type ActionNames, actionKinds, actionsTable, nameOfAction } from '../../pages/desk.ts'
import { type Form, optionsFor } from '../../pages/forms.ts'
import { type Html, html } from '../../pages/html.ts'
import { htmlPage } from '../../pages/layout.ts'
import type { Listed, PageContext } from '../../pages/page.ts'
import { rich, sentences } from '../../pages/text.ts'
import { isMemberId, splitWho } from './staff-activity.schemas.ts'
import type { Log } from './staff-activity.service.ts'

interface ActivityView {
  form: Form
  log: Log
  /** Absent if the query was invalid. The form then shows the reason. */
  found?: Listed<OperatorActionTable> & { names: ActionNames }
}

export function renderStaffActivity(page: PageContext, { form, log, found }: ActivityView): Html {
  const who = form.value('who')
  const heading = who === '' ? t('desk.activity') : t('desk.activity_of', { name: nameOfWho(log, who) })
  const byName = (a: string, b: string) => nameOfAction(a).localeCompare(nameOfAction(b), page.language)
  const actions = actionKinds.toSorted(byName)
  const isFiltered = ['who', 'action', 'since', 'until'].some((name) => form.value(name) !== '')
  return htmlPage(page, { title: heading })`<h1>${heading}</h1>
<p class="lead">${t('desk.activity_lead')}</p>
${form.summary()}
${filterForm(
  '/desk/activity',
  form,
  [
    form.select('who', t('desk.who'), [
      { value: '', text: t('desk.everyone') },
      ...log.people.map(({ member_id, member_name }) => ({ value: member_id, text: member_name })),
      ...performerOptions(log),
    ]),
    form.select('action', t('desk.action'), optionsFor(actions, nameOfAction, t('shared.any'))),
    form.field('since', t('desk.since'), { type: 'date' }),
    form.field('until', t('desk.until'), { type: 'date' }),
  ],
  { submit: t('job_reports.show') },
)}
${found && html`<p role="status" class="soft">${t('desk.actions_found', { count: found.pagination.total })}</p>`}
${
  found &&
  (found.items.length === 0
    ? isFiltered
      ? noneFound(t('desk.no_actions_found'), '/desk/activity', t('desk.show_all_actions'))
      : emptyState(t('desk.no_actions_yet'))
    : actionsTable(page, found.items, found.names))
}
${pagination(page, found?.pagination)}
${found && found.items.length > 0 && html`<p><a href="${exportPath(page)}">${t('received.export')}</a></p>`}
<p class="soft small">${renderExtent(log)}</p>`
}

/** Returns the path of the export with the filters of this page. */
function exportPath({ path }: PageContext): string {
  const [, query] = path.split('?')
  return query === undefined ? '/desk/activity/export' : `/desk/activity/export?${query}`
}

const nameOf = ({ accounts }: Log, accountId: string) => accounts.get(accountId) ?? accountId

function nameOfWho(log: Log, who: string): string {
  if (isMemberId(who)) return log.people.find(({ member_id }) => member_id === who)?.member_name ?? who
  const { accountId, keyName } = splitWho(who)
  const name = nameOf(log, accountId)
  return keyName === undefined ? name : t('desk.with_key', { name, key: keyName })
}

/** Returns an option for each account and, if an account used several keys, for each of its keys. */
function performerOptions(log: Log) {
  return [...Map.groupBy(log.performers, ({ account_id }) => account_id)].flatMap(([id, performers]) => [
    { value: id, text: nameOf(log, id) },
    ...(performers.length < 2 ? [] : performers).map(({ key_name }) => {
      const who = `${id}/${key_name}`
      return { value: who, text: nameOfWho(log, who) }
    }),
  ])
}

/** Renders the scope of the log, its start, and its retention period. */
function renderExtent({ oldest, moreSince, days }: Log): Html {
  const isOlder = oldest !== null && moreSince !== undefined && oldest < moreSince
  return sentences(
    t('desk.activity_scope'),
    oldest && rich('desk.activity_since', { day: day(oldest.toISOString()) }),
    isOlder && rich('desk.activity_more_since', { day: day(moreSince.toISOString()) }),
    days !== undefined && t('desk.activity_kept', { count: days }),
  )
}
