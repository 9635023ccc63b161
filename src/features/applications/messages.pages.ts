/** The message form on the application pages of candidates and employers. */

import type { FastifyRequest } from 'fastify'
import { Strict, Text } from '../../lib/schema.ts'
import { doOnce } from '../../pages/once.ts'
import type { Kit } from '../feature.ts'
import { partyIn } from './messages.routes.ts'
import { MESSAGE_LENGTH_MAX, type Side } from './messages.schemas.ts'
import { sendMessage } from './messages.service.ts'

/** The field is not called `text`, because the form for notes on the employer's page has a field of that name. */
export const MessageForm = Strict({ reply: Text(1, MESSAGE_LENGTH_MAX) })

export async function sendFromForm(
  { database, clock, budgets }: Pick<Kit, 'database' | 'clock' | 'budgets'>,
  request: FastifyRequest<{ Body: { reply: string } }>,
  side: Side,
): Promise<void> {
  const party = partyIn(request, side)
  await budgets.spend('emails', party.accountId, 1, () =>
    doOnce(request, database, (tx) => sendMessage(tx, party, request.body.reply, clock.now())),
  )
}
