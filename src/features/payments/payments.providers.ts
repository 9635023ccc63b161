/** How a payment gets settled. A provider is these few facts; one at whose page people pay is a house besides. */
import type { Tx } from '../../db/database.ts'

export const providerNames = ['manual', 'test', 'free', 'stripe'] as const
export type ProviderName = (typeof providerNames)[number]

export interface PaymentProvider {
  name: ProviderName
  /** Settled as soon as it is made; activation needs no payment at all. */
  isFree: boolean
  /** Whether the payer may settle it with a click: only where no money moves. */
  mayOwnerConfirm: boolean
  /** Where people pay; absent: as they agree with the operator, or not at all. */
  house?: PaymentHouse
}

/** A company at whose page people pay. Whatever keeps it from answering is an `unavailable`. */
export interface PaymentHouse {
  /** Its address at which the payment is paid; undefined where there is nothing to pay, or nothing any more. */
  checkout(paymentId: string): Promise<string | undefined>
  /** Asks what became of the payment, and settles it accordingly. */
  refresh(paymentId: string): Promise<void>
  /** Hears that a payment was settled otherwise: nobody is to pay it there any more. */
  settledOtherwise(tx: Tx, paymentId: string): Promise<void>
  /** Whether the payer is done and the money on its way. */
  isUnderWay(paymentId: string): Promise<boolean>
}

export const providers: Record<ProviderName, PaymentProvider> = {
  manual: { name: 'manual', isFree: false, mayOwnerConfirm: false },
  test: { name: 'test', isFree: false, mayOwnerConfirm: true },
  free: { name: 'free', isFree: true, mayOwnerConfirm: false },
  stripe: { name: 'stripe', isFree: false, mayOwnerConfirm: false },
}
