/**
 * Size limits for response headers. nginx's default buffer is 4 KB: if the headers are larger, nginx responds with 502
 * and considers the process failed. This file limits each header that repeats client input. All other headers together
 * stay below 1 KB (API) or 2 KB (pages). `test/property/heads.test.ts` checks that the headers of every route take at
 * most 3,072 bytes.
 */

/**
 * Maximum size of a `Link` header, in bytes. A longer header is omitted, because `meta.pagination` contains the same
 * cursors.
 */
export const LINK_BYTES_MAX = 1_024

/**
 * Maximum size of a `Location` header, in bytes. The service sends an error instead of a response with a longer header.
 * Stripe's checkout URLs are up to 1 KB long.
 */
export const LOCATION_BYTES_MAX = 2_048

/** Maximum size of the path to return to after sign-in, in bytes, percent-encoded as in `return_to`. */
export const RETURN_TO_BYTES_MAX = 1_024

/** Maximum length of a notice in a cookie, in characters: up to 800 bytes when encoded. */
export const NOTICE_LENGTH_MAX = 200

/** Maximum size of a percent-encoded file name, in bytes. */
export const FILENAME_BYTES_MAX = 1_024
