#!/bin/sh
# Reports that an event failed: report.sh ID TYPE ERROR-TYPE MESSAGE < DATA
# DLQ_URL=https://dlq.example, DLQ_TOKEN=dlq_…: a token with the scope report. It is no argument: others see those.
set -eu
key=$(cat /proc/sys/kernel/random/uuid)
data=$(mktemp) && trap 'rm -f "$data"' EXIT
cat > "$data"
message=$(printf %s "$4" | od -An -v -tx1 | tr -d '\n' | tr ' ' '%')
printf 'header = "Authorization: Bearer %s"' "$DLQ_TOKEN" |
curl --config - --silent --show-error --fail-with-body --max-time 10 --retry 5 --retry-connrefused \
    "$DLQ_URL/api/v1/failures" \
    -H "Idempotency-Key: $key" -H 'Content-Type: application/json' \
    -H 'ce-specversion: 1.0' -H 'ce-source: shop' -H "ce-id: $1" -H "ce-type: $2" \
    -H "ce-errortype: $3" -H "ce-errormessage: $message" \
    --data-binary "@$data"
