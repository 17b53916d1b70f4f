#!/usr/bin/env bash
# Starts a plan and waits for its result.
# Usage: RUNWARD_URL=https://runward.example.org RUNWARD_TOKEN=… start-and-wait.sh PLAN_ID [NAME=VALUE ...]
# Exit code: 0 = the run succeeded, 4 = it waits for a person, 1 = anything else.
set -euo pipefail

plan=${1:?the ID of the plan}
shift
variables=$(printf '%s\n' "$@" | jq -Rn '[inputs | select(. != "") | capture("(?<key>[^=]+)=(?<value>.*)"; "s")] | from_entries')

# All users of a machine can see arguments, so curl reads the token from a pipe.
call() {
  curl --silent --show-error --fail-with-body --retry 5 --retry-connrefused --max-time 90 \
    --header @<(printf 'Authorization: Bearer %s' "$RUNWARD_TOKEN") --header 'Content-Type: application/json' "$@"
}

# With the same key, a repeated start returns the run that exists.
key=${CI_JOB_ID:-$(cat /proc/sys/kernel/random/uuid)}
run=$(call --header "Idempotency-Key: $key" --data "$(jq -n --arg plan "$plan" --argjson variables "$variables" \
  '{planId: $plan, execution_mode: "auto", variables: $variables}')" "$RUNWARD_URL/api/executions") ||
  { printf '%s\n' "$run" >&2 && exit 1; }
id=$(jq -r .id <<<"$run")
jq -r .webUrl <<<"$run"

until jq -e '.finished or .status == "PAUSED"' >/dev/null <<<"$run"; do
  run=$(call "$RUNWARD_URL/api/executions/$id?wait=50&until=settled") || { printf '%s\n' "$run" >&2 && exit 1; }
done

jq -r '.status + (if .statusReason then ": " + .statusReason.text else "" end)' <<<"$run"
call "$RUNWARD_URL/api/executions/$id/failure-causes" |
  jq -r '.items[] | "\(.serverIds | length) × \(.stepKey): \(.text // .status)"'
jq -e .successful >/dev/null <<<"$run" && exit 0
[ "$(jq -r .status <<<"$run")" = PAUSED ] && exit 4
exit 1
