export { type PaymentHouse, type PaymentProvider, providerNames, providers } from './payments.providers.ts'
export {
  findPayment,
  findPendingPayments,
  hasPendingPayment,
  listOrderLines,
  listPaidProducts,
  listRivals,
  lockPayment,
  lockPendingPayments,
  sumPaymentsByDay,
  vatLineOf,
} from './payments.queries.ts'
export { paymentStatuses } from './payments.schemas.ts'
export { advancePayment, createPayment, obstacleTo, paidRunConsumer, settlePayment } from './payments.service.ts'
