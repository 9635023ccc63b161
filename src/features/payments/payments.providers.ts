/** How a payment gets settled. A provider is these few facts; one that talks to a bank adds its own routes. */

export const providerNames = ['manual', 'test', 'free'] as const
export type ProviderName = (typeof providerNames)[number]

export interface PaymentProvider {
  name: ProviderName
  /** Settled as soon as it is made; activation needs no payment at all. */
  isFree: boolean
  /** Whether the payer may settle it with a click: only where no money moves. */
  mayOwnerConfirm: boolean
}

export const providers: Record<ProviderName, PaymentProvider> = {
  manual: { name: 'manual', isFree: false, mayOwnerConfirm: false },
  test: { name: 'test', isFree: false, mayOwnerConfirm: true },
  free: { name: 'free', isFree: true, mayOwnerConfirm: false },
}
