export { type PaymentHouse, type PaymentProvider, providerNames, providers } from './payments.providers.ts'
export {
  countPendingPayments,
  findPayment,
  hasPendingPayment,
  listPaidProducts,
  listProducts,
  lockPayment,
  type PaymentFigures,
} from './payments.queries.ts'
export { paymentStatuses } from './payments.schemas.ts'
export { advancePayment, createPayment, obstacleTo, paidRunConsumer, settlePayment } from './payments.service.ts'
