/**
 * Limits of response heads. nginx's default buffer is one memory page: it answers 502 to a head above 4 KB and counts the
 * process as failed. Each header that repeats what a client sent is bounded here; all others together stay below 1 KB
 * (API) or 2 KB (pages). `test/property/heads.test.ts` holds every route to 3,072 bytes.
 */

/** Bytes of a `Link` header. A longer one is left out: `meta.pagination` holds the same cursors. */
export const LINK_BYTES_MAX = 1_024

/** Bytes of a `Location` header. Redirects to longer addresses are refused. Stripe's checkout addresses have up to 1 KB. */
export const LOCATION_BYTES_MAX = 2_048

/** Bytes of a path that a sign-in leads back to, percent-encoded as in `return_to`. */
export const RETURN_TO_BYTES_MAX = 1_024

/** Characters of a notice in a cookie: up to 800 bytes once encoded. */
export const NOTICE_LENGTH_MAX = 200

/** Bytes of a percent-encoded file name. */
export const FILENAME_BYTES_MAX = 1_024
