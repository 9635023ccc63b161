import { deskTabs } from '../../pages/desk.ts'
import { type Html, html } from '../../pages/html.ts'
import { renderDocument } from '../../pages/layout.ts'
import type { PageContext } from '../../pages/page.ts'
import type { Figures } from './desk.queries.ts'

export function renderDesk(page: PageContext, figures: Figures): Html {
  return renderDocument(
    page,
    { title: 'Desk' },
    html`${deskTabs(page)}
<h1>Desk</h1>
<p>${figures.payments_waiting} payments wait.</p>`,
  )
}
