#!/bin/sh
# Prepares a data directory from which PostgreSQL recovers to the given moment. The server then accepts writes.
#   WAL_ARCHIVE=/var/backups/postgresql/wal restore-to.sh /var/backups/postgresql/base/20261122T023000Z \
#     /var/lib/postgresql/15/main '2026-11-22 14:05:00+00'
# Run this script as the server's user. The directory must be empty. The moment must be after the end of the base
# backup.
set -eu
base=$1
folder=$2
moment=$3
mkdir -p "$folder"
chmod 700 "$folder"
if [ -n "$(ls --almost-all "$folder")" ]; then
  echo "$folder is not empty" >&2
  exit 1
fi
tar --extract --gzip --directory="$folder" --file="$base/base.tar.gz"
cat >> "$folder/postgresql.auto.conf" <<END
archive_mode = off
restore_command = 'gunzip --stdout "$WAL_ARCHIVE/%f.gz" > "%p"'
recovery_target_time = '$moment'
recovery_target_action = promote
END
touch "$folder/recovery.signal"
