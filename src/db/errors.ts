/** What errors of the database mean, by their codes: the driver's classes differ between the two databases. */

interface DatabaseError {
  code?: string
  constraint?: string
  message?: string
}

const UNAVAILABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  '53300', // too many connections
  '57P01', // terminated by an administrator
  '57P02',
  '57P03', // starting up or shutting down
  '08000',
  '08003',
  '08006',
  '40001', // could not be serialised
  '40P01', // chosen to end a deadlock
])

/** Whether the database could not be reached, went away or gave up for now: trying again later may help. */
export function isUnavailable(error: unknown): boolean {
  const { code, message } = error as DatabaseError
  if (code !== undefined && UNAVAILABLE.has(code)) return true
  return message === 'Connection terminated unexpectedly' || message === 'timeout exceeded when trying to connect'
}
