#!/bin/sh
# Creates a base backup. Keeps the newest two backups and the WAL since the older one, and removes everything else.
#   WAL_ARCHIVE=/var/backups/postgresql/wal base-backup.sh /var/backups/postgresql/base
# Run this script every night with a replication role. Uses libpq's PGHOST, PGPORT and PGUSER. The server keeps running.
set -eu
bases=$1
base=$bases/$(date --utc +%Y%m%dT%H%M%SZ)
pg_basebackup --pgdata="$base.part" --format=tar --gzip --wal-method=fetch --checkpoint=fast
sync --file-system "$base.part"
mv "$base.part" "$base"
ls -d "$bases"/*Z | head --lines=-2 | xargs --no-run-if-empty rm --recursive
oldest=$(ls -d "$bases"/*Z | head --lines=1)
first=$(tar --extract --gzip --to-stdout --file="$oldest/base.tar.gz" backup_label | sed --quiet 's/^START WAL LOCATION: .* (file \([0-9A-F]*\))$/\1/p')
pg_archivecleanup -x .gz "$WAL_ARCHIVE" "$first"
echo "$base"
