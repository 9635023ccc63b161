#!/usr/bin/env bash
# Tries the README's commands in fresh copies of this folder, like a newcomer:
#
#   scripts/first-contact.sh npm      with npm 9, 10.8 and 10.9 on the Node that each ships with, and the newest npm
#   scripts/first-contact.sh debian   in a bare Debian from debootstrap; exit code 69 if this machine cannot create it
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
umask 022

# Maximum disk space that `npm ci --omit=dev` uses, excluding Node.
MEGABYTES_MAX=280
# Time limit for the first start, which takes a few seconds, or longer on a busy machine.
READY_SECONDS=180
EXIT_UNAVAILABLE=69
SMALL_TEST=test/unit/money.test.ts

folder=$(mktemp -d "${TMPDIR:-/tmp}/job-marketplace-first.XXXXXX")
npm_pid=''
# Prefix of every command: env, possibly with chroot.
runner=(env)

clean() {
  local status=$?
  trap - EXIT
  if [[ -n $npm_pid ]]; then kill -KILL -- "-$npm_pid" 2>/dev/null || true; fi
  if mountpoint -q "$folder/debian/proc" 2>/dev/null; then umount "$folder/debian/proc"; fi
  rm -rf --one-file-system "$folder"
  exit "$status"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() { printf '%s\n' "$*" >&2; exit 1; }

# Prints a command's output only if it fails.
quietly() { "$@" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; fail "Failed: $*"; }; }

# Runs `npm ci`. If npm gave two files in its cache the same name, a known npm bug (npm/cli issue 7308), reports this
# and runs `npm ci` once more.
install_in() {
  inside "$1" npm ci >"$folder/log" 2>&1 && return
  if grep -qE 'EEXIST: .*open .*/_cacache/tmp/' "$folder/log"; then
    echo 'npm gave two files in its cache the same name. Trying npm ci once more.'
    quietly inside "$1" npm ci
  else
    cat "$folder/log" >&2
    fail 'Failed: npm ci'
  fi
}

copy_to() {
  mkdir -p "$1"
  git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from=- | tar --extract --directory="$1"
}

inside() { "${runner[@]}" sh -c 'cd "$1" && shift && exec "$@"' sh "$@"; }

free_port() {
  node -e 'const s = require("net").createServer(); s.listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'
}

is_node() { [[ $(head -z -n 1 "/proc/$1/cmdline" | tr -d '\0') =~ (^|/)node$ ]]; }

first_child() {
  # A process may end while its files are read.
  { sed -E 's/^([0-9]+) \(.*\) /\1 /' /proc/[0-9]*/stat 2>/dev/null || true; } | awk -v parent="$1" '$3 == parent { print $1 }' | sed -n 1p
}

# Checks that `npm start` serves a page of the board and exits with 0 after SIGTERM.
try_start() {
  local port page pid deadline=$((SECONDS + READY_SECONDS)) status=0 log=$folder/start.log
  port=$(free_port)
  setsid "${runner[@]}" sh -c 'cd "$1" && PORT=$2 exec npm start' sh "$1" "$port" >"$log" 2>&1 &
  npm_pid=$!
  until page=$(node -e 'fetch(process.argv[1]).then((r) => r.text()).then(console.log, () => process.exit(1))' \
    "http://127.0.0.1:$port/jobs"); do
    if [[ ! -e /proc/$npm_pid ]] || ((SECONDS > deadline)); then cat "$log" >&2; fail 'npm start: no response.'; fi
    sleep 0.3
  done
  grep -q '<title>' <<<"$page" || fail 'npm start: the response is not a page.'
  # Signals the launcher instead of npm: npm 9 ignores SIGTERM, and later versions exit without waiting for the
  # launcher.
  pid=$npm_pid
  until is_node "$pid"; do
    pid=$(first_child "$pid")
    [[ -n $pid ]] || fail 'npm start: npm started no Node process.'
  done
  kill -TERM "$pid"
  wait "$npm_pid" || status=$?
  npm_pid=''
  if ((status != 0)); then cat "$log" >&2; fail "npm start: exit code $status after SIGTERM."; fi
}

# Tries the commands with the runner's npm and Node.
try_commands() {
  install_in "$1"
  try_start "$1"
  quietly inside "$1" npm test -- "$SMALL_TEST"
}

try_npm() {
  local pair npm node tools=$folder/tools platform begin
  platform=$(node -p 'process.platform + "-" + process.arch')
  quietly npm install --no-audit --prefix "$tools" npm-9@npm:npm@9 npm-10.8@npm:npm@10.8 npm-10.9@npm:npm@10.9 \
    npm-newest@npm:npm@latest "node-18@npm:node-$platform@18" "node-20@npm:node-$platform@20" "node-22@npm:node-$platform@22" \
    "node-newest@npm:node-$platform@$(node -p "require('./package.json').optionalDependencies['node-$platform']")"
  for pair in 9:18 10.8:20 10.9:22 newest:newest; do
    npm=$tools/node_modules/npm-${pair%:*}/bin node=$tools/node_modules/node-${pair#*:}/bin begin=$SECONDS
    # In some versions, `npm` is a script next to npm-cli.js; in others, it is a link to npm-cli.js.
    mkdir "$folder/bin"
    ln -s "$node/node" "$folder/bin/node"
    ln -s "$npm/npm-cli.js" "$folder/bin/npm"
    chmod +x "$npm/npm-cli.js"
    runner=(env "PATH=$folder/bin:/usr/local/bin:/usr/bin:/bin")
    copy_to "$folder/copy"
    try_commands "$folder/copy"
    echo "npm $(inside / npm --version) on Node $(inside / node -p process.versions.node): $((SECONDS - begin)) s"
    rm -rf "$folder/bin" "$folder/copy"
  done
  runner=(env)
  copy_to "$folder/copy"
  quietly inside "$folder/copy" npm ci --omit=dev
  local besides
  besides=$(du --summarize --block-size=1000000 --exclude='node-*-*' "$folder/copy/node_modules" | cut -f 1)
  echo "npm ci --omit=dev: $besides MB without Node"
  ((besides < MEGABYTES_MAX)) || { du --block-size=1000000 "$folder/copy/node_modules" | sort -rn | head -n 20; fail 'npm ci --omit=dev takes too much disk space.'; }
}

unavailable() { printf 'NOT TRIED in a bare Debian: %s\n' "$*" >&2; exit "$EXIT_UNAVAILABLE"; }

# Installs only the packages that the README lists. First omits libatomic1, which the error must name.
try_debian() {
  local root=$folder/debian codename mirror packages said
  [[ $EUID -eq 0 ]] || unavailable 'this requires root.'
  command -v debootstrap >/dev/null || unavailable 'debootstrap is not installed.'
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk -v codename="$codename" '$1 == codename { print $2; exit }')
  [[ -n $mirror ]] || unavailable "apt has no archive of ${codename:-this system}."
  debootstrap --variant=minbase --include=ca-certificates "$codename" "$root" "$mirror" >"$folder/log" 2>&1 ||
    { tail -n 5 "$folder/log" >&2; unavailable 'debootstrap failed.'; }
  mount -t proc proc "$root/proc" || unavailable 'cannot mount /proc for the chroot.'
  packages=$(sed -n 's/^apt-get install --no-install-recommends //p' README.md)
  [[ $packages == *' libatomic1' ]] || fail 'The README does not list the packages for a bare Debian.'
  # Uses this machine's registry and certificates.
  runner=(env -i "PATH=/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root DEBIAN_FRONTEND=noninteractive
    "npm_config_registry=$(npm config get registry)")
  if [[ -n ${NODE_EXTRA_CA_CERTS:-} ]]; then
    cp "$NODE_EXTRA_CA_CERTS" "$root/etc/ssl/machine.pem"
    runner+=(NODE_EXTRA_CA_CERTS=/etc/ssl/machine.pem)
  fi
  runner+=(chroot "$root")
  quietly inside / apt-get install -y --no-install-recommends ${packages% libatomic1}
  copy_to "$root/board"
  install_in /board
  said=$(inside /board npm start --silent 2>&1) && fail 'npm start worked without libatomic1.'
  echo "$said"
  [[ $said == *'"apt-get install libatomic1"'* && $said != *$'\n'* ]] || fail 'The error is not one line that names libatomic1.'
  quietly inside / apt-get install -y --no-install-recommends $packages
  try_start /board
  quietly inside /board npm test -- "$SMALL_TEST"
  echo "$(inside / cat /etc/debian_version | sed 's/^/Debian /'), npm $(inside / npm --version), $packages"
}

case ${1:-} in
  npm) try_npm ;;
  debian) try_debian ;;
  *) fail 'Usage: scripts/first-contact.sh npm|debian' ;;
esac
