#!/bin/sh
# Archives a complete WAL segment. In postgresql.conf:
#   archive_mode = on
#   archive_command = 'WAL_ARCHIVE=/var/backups/postgresql/wal /opt/job-marketplace/ops/postgres/archive-wal.sh "%p" "%f"'
#   archive_timeout = 60s    # the loss of the server costs at most a minute of writes
# PostgreSQL retries until this script succeeds, and only then removes the segment.
set -eu
segment=$1
archived=$WAL_ARCHIVE/$2.gz
if [ -f "$archived" ]; then
  # A retry after a crash. Succeeds only if the contents are equal: another server must not overwrite the segment.
  gunzip --stdout "$archived" | cmp --silent - "$segment"
  exit
fi
gzip --stdout "$segment" > "$archived.part"
sync "$archived.part"
mv "$archived.part" "$archived"
sync "$WAL_ARCHIVE"
