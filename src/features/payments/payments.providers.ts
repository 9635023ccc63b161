/** Payment providers. A provider with an external checkout page has a `house`. */
import type { Tx } from '../../db/database.ts'

export const providerNames = ['manual', 'test', 'free', 'stripe'] as const
export type ProviderName = (typeof providerNames)[number]

export interface PaymentProvider {
  name: ProviderName
  /** True if payments are settled on creation and jobs can be activated without one. */
  isFree: boolean
  /** True if payers may settle payments with a click. Only allowed for providers that move no money. */
  mayOwnerConfirm: boolean
  /** External payment service. Without one, payments are made as agreed with the operator, or not at all. */
  house?: PaymentHouse
}

/** An external payment service with its own checkout page. Methods throw `unavailable` if it cannot be reached. */
export interface PaymentHouse {
  /** Returns the URL of its checkout page, or undefined if nothing is due. */
  checkout(paymentId: string): Promise<string | undefined>
  /** Requests the status of the payment and settles it accordingly. */
  refresh(paymentId: string): Promise<void>
  /** Called when the payment was settled in another way, so that nobody pays it on the external page. */
  settledOtherwise(tx: Tx, paymentId: string): Promise<void>
  /** Returns whether the payer has completed the checkout but the payment is still processing. */
  isUnderWay(paymentId: string): Promise<boolean>
}

export const providers: Record<ProviderName, PaymentProvider> = {
  manual: { name: 'manual', isFree: false, mayOwnerConfirm: false },
  test: { name: 'test', isFree: false, mayOwnerConfirm: true },
  free: { name: 'free', isFree: true, mayOwnerConfirm: false },
  stripe: { name: 'stripe', isFree: false, mayOwnerConfirm: false },
}
