/**
 * Deletes old rows in batches, in the order of an index. While a backup or another long transaction runs, PostgreSQL
 * keeps the index entries of deleted rows. Each batch therefore starts where the previous batch ended. Otherwise, it
 * would read the entries of all earlier batches again (decision 0142).
 */

/** Maximum number of rows that one statement deletes. */
const BATCH = 1_000

/** The limits of one batch: the lowest key, inclusive, and the maximum number of rows. */
export interface BatchRange<Key> {
  from: Key
  limit: number
}

export interface DeletedBatch<Key> {
  count: number
  /** The highest key among the deleted rows; null if there are none. */
  last: Key | null
}

/**
 * Returns a function that deletes the next batch of rows older than a time. After the last batch, the function starts
 * over from `first`, and so also finds rows that other transactions had locked.
 */
export function purgeInOrder<Key>(
  first: Key,
  deleteBatch: (before: Date, range: BatchRange<Key>) => Promise<DeletedBatch<Key>>,
): (before: Date) => Promise<'more' | 'done'> {
  let from = first
  return async (before) => {
    const { count, last } = await deleteBatch(before, { from, limit: BATCH })
    const isFull = count === BATCH
    from = isFull ? last! : first
    return isFull ? 'more' : 'done'
  }
}

/** The `first` key for rows that are ordered by time. */
export const EPOCH = new Date(0)
