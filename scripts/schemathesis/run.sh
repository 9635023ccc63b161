#!/usr/bin/env bash
# Runs every Schemathesis check, including stateful ones, against the service with the demo board on an embedded
# database.
#
#   scripts/schemathesis/run.sh                 every account kind, 200 examples per operation
#   EXAMPLES=10 KINDS=employer SEED=1 scripts/schemathesis/run.sh --phases fuzzing
#
# Requires Python 3.10 or later. Passes its arguments to Schemathesis. Exits with 1 if Schemathesis finds a fault, and
# with 69 if it cannot be installed here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

VERSION=4.32.5
EXAMPLES=${EXAMPLES:-200}
KINDS=${KINDS:-employer candidate integrator admin}
# Time limit per kind. An interrupted run still reports its findings, and counts as failed.
SECONDS_MAX=${SECONDS_MAX:-3600}

folder=$(mktemp -d "${TMPDIR:-/tmp}/job-marketplace-schemathesis.XXXXXX")
server=''
stop() {
  local status=$?
  trap - EXIT
  if [[ -n $server ]]; then kill "$server" 2>/dev/null && wait "$server" || true; fi
  if [[ $status -eq 0 ]]; then rm -rf "$folder"; else echo "Logs and reports are in $folder." >&2; fi
  exit "$status"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# SCHEMATHESIS can name the command of an installed Schemathesis, which saves a minute.
schemathesis=${SCHEMATHESIS:-}
if [[ -z $schemathesis ]]; then
  schemathesis=$folder/venv/bin/schemathesis
  if ! { python3 -m venv "$folder/venv" &&
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$VERSION"; }; then exit 69; fi
fi

free_port() {
  node -e 'const s = require("net").createServer(); s.listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'
}

port=$(free_port)
export HOST=127.0.0.1 PORT=$port PUBLIC_BASE_URL=http://127.0.0.1:$port DATA_DIR=$folder/data
export PAYMENTS=test RATE_LIMIT=off LOG_LEVEL=warn WEBHOOK_TIMEOUT_MS=1000
unset DATABASE_URL MAIL_URL
ADMIN_API_KEY=operator-key-of-schemathesis-$(od -An -N8 -tx8 /dev/urandom | tr -d ' ')
export ADMIN_API_KEY
node bin/job-marketplace.js seed demo >"$folder/demo.txt"
INTEGRATOR_API_KEY=$(node bin/job-marketplace.js keys create --kind integrator --name Schemathesis 2>/dev/null)
export INTEGRATOR_API_KEY
node bin/job-marketplace.js serve >"$folder/server.log" 2>&1 &
server=$!
for _ in $(seq 600); do
  if curl -sf "$PUBLIC_BASE_URL/readyz" >/dev/null; then break; fi
  sleep 0.2
done
curl -sf "$PUBLIC_BASE_URL/readyz" >/dev/null || { cat "$folder/server.log" >&2; exit 1; }

export API_ORIGIN=$PUBLIC_BASE_URL SCHEMATHESIS_HOOKS=hooks PYTHONPATH=scripts/schemathesis
failed=''
for kind in $KINDS; do
  printf '\n== Schemathesis as %s, %s examples per operation\n' "$kind" "$EXAMPLES"
  KIND=$kind timeout --foreground --signal INT "$SECONDS_MAX" "$schemathesis" --config-file scripts/schemathesis/schemathesis.toml run \
    "$PUBLIC_BASE_URL/v1/openapi.json" --include-by '/x-tried == true' --max-examples "$EXAMPLES" ${SEED:+--seed "$SEED"} \
    --report ndjson --report-ndjson-path "$folder/$kind.ndjson" --no-color "$@" || failed="$failed $kind"
  kill -0 "$server" || { tail -50 "$folder/server.log" >&2; echo 'The service exited.' >&2; exit 1; }
done
# The log may contain requests refused because of load, which clients retry.
echo "Refused because of load: $(grep -c '"msg":"unavailable"' "$folder/server.log" || true)"
if grep '"level":50' "$folder/server.log" | grep -v -m 20 '"msg":"unavailable"' >&2; then failed="$failed log"; fi
if [[ -n $failed ]]; then echo "Failed:$failed" >&2; exit 1; fi
