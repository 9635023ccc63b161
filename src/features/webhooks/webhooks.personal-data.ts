/** Personal data of webhooks: an account's webhooks, and receivers' responses to events about the account. */
import { sql } from 'kysely'
import type { PersonalData } from '../feature.ts'
import { presentWebhook } from './webhooks.present.ts'
import { deleteWebhooksOf } from './webhooks.queries.ts'
import { deliveriesOfEvent } from './webhooks.settled-queries.ts'

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
      update webhook_attempt set response_excerpt = null where delivery_id = any(array(
        select delivery.id from event cross join ${deliveriesOfEvent} as delivery
        where event.candidate_id = ${accountId}))`.execute(tx)
  },
}
