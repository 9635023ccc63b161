/** Payment providers. `house` is set for a provider with an external checkout page. */
import type { Tx } from '../../db/database.ts'

export const providerNames = ['manual', 'test', 'free', 'stripe'] as const
export type ProviderName = (typeof providerNames)[number]

export interface PaymentProvider {
  name: ProviderName
  /** True if the provider settles payments on creation. Jobs can then be activated without a payment. */
  isFree: boolean
  /** True if payers may settle payments with a click. Must be false for providers that move money. */
  mayOwnerConfirm: boolean
  /** External payment service. Without one, employers pay as agreed with the operator, or not at all. */
  house?: PaymentHouse
}

/**
 * An external payment service with its own checkout page. Methods that call the service throw `unavailable` if it is
 * unreachable.
 */
export interface PaymentHouse {
  /** Returns the URL of the payment's external checkout page, or undefined if the payer cannot pay there. */
  checkout(paymentId: string): Promise<string | undefined>
  /** Fetches the payment's status from the service, and updates the payment. */
  refresh(paymentId: string): Promise<void>
  /**
   * Called after the payment was settled without the external service. Schedules the end of the external checkout,
   * where the payer could otherwise pay again.
   */
  settledOtherwise(tx: Tx, paymentId: string): Promise<void>
  /** Returns whether the payer has completed the checkout while the payment is still being processed. */
  isUnderWay(paymentId: string): Promise<boolean>
}

export const providers: Record<ProviderName, PaymentProvider> = {
  manual: { name: 'manual', isFree: false, mayOwnerConfirm: false },
  test: { name: 'test', isFree: false, mayOwnerConfirm: true },
  free: { name: 'free', isFree: true, mayOwnerConfirm: false },
  stripe: { name: 'stripe', isFree: false, mayOwnerConfirm: false },
}
