import type { Reader } from '../../db/database.ts'
import { statement } from '../../db/statement.ts'

export interface TableSize {
  name: string
  /** The estimated number of rows, from the last VACUUM or ANALYZE. Null before the first one. */
  row_count: number | null
  /** Table size, including long values that PostgreSQL stores in a separate table. */
  table_bytes: number
  index_bytes: number
}

/** Returns the size of every table, largest first. A partitioned table's size is the sum of its partitions. */
export function listTableSizes(reader: Reader): Promise<TableSize[]> {
  return statement<TableSize>`
    select coalesce(pg_partition_root(oid), oid)::regclass::text as name,
      (sum(reltuples) filter (where reltuples >= 0))::bigint as row_count,
      sum(pg_table_size(oid))::bigint as table_bytes, sum(pg_indexes_size(oid))::bigint as index_bytes
    from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace
    group by 1 order by sum(pg_total_relation_size(oid)) desc, 1`.all(reader)
}
