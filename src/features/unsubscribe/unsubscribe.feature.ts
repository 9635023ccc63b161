import { type Contributions, defineFeature } from '../feature.ts'
import { registerUnsubscribe } from './unsubscribe.pages.ts'
import type { Unsubscriptions } from './unsubscribe.service.ts'

/** Links in emails for unsubscribing and for confirming the email address. */
export const unsubscribe = defineFeature({
  name: 'unsubscribe',
  async open(kit) {
    const unsubscribeSecret = await kit.secretOf('unsubscribe')
    return {
      root(root) {
        const mails = Object.assign({}, ...kit.collect('mails')) as NonNullable<Contributions['mails']>
        const unsubscriptions: Unsubscriptions = Object.fromEntries(
          Object.entries(mails).flatMap(([kind, { unsubscription }]) =>
            unsubscription ? [[kind, unsubscription]] : [],
          ),
        )
        registerUnsubscribe(root, { ...kit, unsubscriptions, unsubscribeSecret })
      },
    }
  },
})
