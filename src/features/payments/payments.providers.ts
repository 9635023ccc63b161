/** Payment providers. A provider has these few properties. One with an external checkout page also has a `house`. */
import type { Tx } from '../../db/database.ts'

export const providerNames = ['manual', 'test', 'free', 'stripe'] as const
export type ProviderName = (typeof providerNames)[number]

export interface PaymentProvider {
  name: ProviderName
  /** Settles payments on creation. Activation needs no payment at all. */
  isFree: boolean
  /** True if the payer may settle it with a click. Only allowed for providers that move no money. */
  mayOwnerConfirm: boolean
  /** External payment service. Default: paid as agreed with the operator, or not at all. */
  house?: PaymentHouse
}

/** A company with its own checkout page. Every failure to reach it is an `unavailable` error. */
export interface PaymentHouse {
  /** Returns the URL of its checkout page, or undefined if nothing is due. */
  checkout(paymentId: string): Promise<string | undefined>
  /** Requests the status of the payment and settles it accordingly. */
  refresh(paymentId: string): Promise<void>
  /** Called when the payment was settled another way, so that nobody pays it there. */
  settledOtherwise(tx: Tx, paymentId: string): Promise<void>
  /** Returns whether the payer has paid and the money is on its way. */
  isUnderWay(paymentId: string): Promise<boolean>
}

export const providers: Record<ProviderName, PaymentProvider> = {
  manual: { name: 'manual', isFree: false, mayOwnerConfirm: false },
  test: { name: 'test', isFree: false, mayOwnerConfirm: true },
  free: { name: 'free', isFree: true, mayOwnerConfirm: false },
  stripe: { name: 'stripe', isFree: false, mayOwnerConfirm: false },
}
