export { registerDeskPaymentPages } from './desk-payments.pages.ts'
export { registerOwnPaymentPages } from './own-payments.pages.ts'
export { registerCheckout } from './payments.pages.ts'
export {
  type PaymentHouse,
  type PaymentProvider,
  type ProviderName,
  providerNames,
  providers,
} from './payments.providers.ts'
export { findPayment, listPaidProducts, listProducts, lockPayment, type PaymentRow } from './payments.queries.ts'
export { registerPayments } from './payments.routes.ts'
export { PaymentSchema, ProductSchema, paymentStatuses } from './payments.schemas.ts'
export { advancePayment, createPayment, obstacleTo, paidRunConsumer, settlePayment } from './payments.service.ts'
