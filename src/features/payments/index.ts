export { describeAmount } from './payments.amounts.ts'
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
} from './payments.queries.ts'
export { paymentStatuses } from './payments.schemas.ts'
export { advancePayment, createPayment, obstacleTo, paidRunConsumer, settlePayment } from './payments.service.ts'
export { vatLineOf } from './payments.vat.ts'
