/** The headers that identify a delivery attempt, without the signature headers, which depend on the time. */

export interface DescribedAttempt {
  eventId: string
  eventType: string
  deliveryId: string
  /** Number of the attempt, from 1. */
  number: number
  isTest?: boolean
}

const USER_AGENT = 'JobMarketplace-Webhooks/1'

export function describingHeaders({ eventId, eventType, deliveryId, number, isTest }: DescribedAttempt) {
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'x-service-event-id': eventId,
    'x-service-event-type': eventType,
    'x-service-delivery-id': deliveryId,
    'x-service-attempt': String(number),
    ...(isTest && { 'x-service-test': 'true' }),
  }
}
