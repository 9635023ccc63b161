/** Personal data of webhooks: an account's webhooks, and receivers' responses to events about the account. */
import { sql } from 'kysely'
import type { PersonalData } from '../feature.ts'
import { presentWebhook } from './webhooks.present.ts'
import { deleteWebhooksOf } from './webhooks.queries.ts'
import { allDeliveries } from './webhooks.settled-queries.ts'

export const webhooksPersonalData: PersonalData = {
  name: 'webhooks',

  async export(reader, accountId) {
    const rows = await reader
      .selectFrom('webhook')
      .selectAll()
      .where('owner_id', '=', accountId)
      .orderBy('created_at')
      .orderBy('id')
      .execute()
    return rows.map(presentWebhook)
  },

  /**
   * Also deletes stored responses, because a receiver may have repeated the event's content. Pending deliveries will
   * contain the erased version of the event.
   */
  async erase(tx, accountId) {
    await deleteWebhooksOf(tx, accountId)
    await sql`
      update webhook_attempt set response_excerpt = null
      from ${allDeliveries} as delivery join event on event.id = delivery.event_id
      where webhook_attempt.delivery_id = delivery.id and event.candidate_id = ${accountId}`.execute(tx)
  },
}
