#!/usr/bin/env bash
# Follows docs/debian.md exactly: creates a new Debian system, boots it with its own systemd, and runs every command of
# the page in one shell. Exits with 1 if a command fails, and with 69 if this machine cannot create the system. Uses the
# page's ports on loopback. Requires root and the Debian packages debootstrap and systemd-container.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
umask 022
exec </dev/null

EXIT_UNAVAILABLE=69
BOOT_SECONDS=60

folder=$(mktemp -d "${TMPDIR:-/tmp}/job-marketplace-machine.XXXXXX")
root=$folder/root
nspawn=''

clean() {
  local status=$?
  trap - EXIT
  if [[ -n $nspawn ]] && kill -0 "$nspawn" 2>/dev/null; then
    kill -TERM "$nspawn"
    wait "$nspawn" || true
  fi
  if mountpoint -q "$root/proc"; then umount "$root/proc"; fi
  rm -rf --one-file-system "$folder"
  exit "$status"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

unavailable() { printf 'NOT FOLLOWED: %s\n' "$*" >&2; exit "$EXIT_UNAVAILABLE"; }
fail() { printf '%s\n' "$*" >&2; exit 1; }

[[ $EUID -eq 0 ]] || unavailable 'this requires root.'
for program in debootstrap systemd-nspawn; do command -v "$program" >/dev/null || unavailable "$program is not installed."; done
mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' | awk '$1 == "bookworm" { print $2; exit }')
[[ -n $mirror ]] || unavailable 'apt has no archive of Debian 12.'
debootstrap --variant=minbase --include=ca-certificates,systemd,systemd-sysv,dbus bookworm "$root" "$mirror" >"$folder/log" 2>&1 ||
  { tail -n 5 "$folder/log" >&2; unavailable 'debootstrap failed.'; }

# The step "Copy the release to /opt/job-marketplace".
mkdir "$root/opt/job-marketplace"
git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from=- | tar --extract --directory="$root/opt/job-marketplace"

# The page's commands, with this machine's registry and certificates.
{
  echo 'set -euo pipefail'
  echo 'export DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root'
  printf 'export npm_config_registry=%q\n' "$(npm config get registry)"
  if [[ -n ${NODE_EXTRA_CA_CERTS:-} ]]; then
    cp "$NODE_EXTRA_CA_CERTS" "$root/etc/ssl/machine.pem"
    echo 'export NODE_EXTRA_CA_CERTS=/etc/ssl/machine.pem'
  fi
  awk '/^## /     { printf "printf %c\\n== %%s\\n%c %c%s%c\n", 39, 39, 39, substr($0, 4), 39 }
       /^```$/    { inside = 0 }
       inside     { print }
       /^```sh$/  { inside = 1 }' docs/debian.md
} >"$root/guide.sh"

systemd-nspawn --quiet --directory="$root" --boot --register=no --keep-unit >"$folder/boot.log" 2>&1 &
nspawn=$!
deadline=$((SECONDS + BOOT_SECONDS))
# The machine's first process is the child of systemd-nspawn.
until machine=$(ps -o pid= --ppid "$nspawn") && machine=${machine//[^0-9]/} && [[ -n $machine ]] &&
  nsenter --target "$machine" --all systemctl is-system-running 2>/dev/null | grep -qE 'running|degraded'; do
  ((SECONDS < deadline)) && kill -0 "$nspawn" || { cat "$folder/boot.log" >&2; unavailable 'the machine did not start.'; }
  sleep 0.2
done
nsenter --target "$machine" --all bash /guide.sh || {
  nsenter --target "$machine" --all journalctl --no-pager --quiet --lines 40 >&2 || true
  fail 'The guide does not work.'
}
printf '\nEvery command of docs/debian.md works.\n'
