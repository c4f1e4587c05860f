#!/bin/sh
# From an empty folder to a failed Celery task on the page, and back: each step with its seconds.
#
#   examples/first_failure/run.sh FOLDER WHEELS DATABASE_URL BROKER
#
# FOLDER does not exist yet; WHEELS has the wheels of dlqconsole and dlq; DATABASE_URL is an empty database of
# PostgreSQL 15 or newer; BROKER is a Redis. PYTHON may name a Python 3.12 or newer.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
wheels=$(cd "$2" && pwd)
export DATABASE_URL="$3" BROKER="$4" DLQ_CELERY_BROKERS="shop=$4"
mkdir "$1" && cd "$1"
begun=$(date +%s)
step() { printf '%4d s  %s\n' $(($(date +%s) - begun)) "$1"; }
until_says() { # until_says WORDS COMMAND...: waits a minute at most
    words=$1 && shift
    for _ in $(seq 120); do
        "$@" 2>/dev/null | grep -q "$words" && return
        sleep 0.5
    done
    echo "It never said: $words" >&2 && exit 1
}
up='' worker=''
trap 'kill $worker $up 2>/dev/null; wait' EXIT

step 'python3 -m venv dlq'
"${PYTHON:-python3}" -m venv dlq
PATH="$PWD/dlq/bin:$PATH"
step 'pip install dlqconsole "dlq[postgres]" "celery[redis]"'
pip install --quiet --disable-pip-version-check --find-links "$wheels" dlqconsole 'dlq[postgres]' 'celery[redis]'

step 'dlqconsole up'
export DLQ_ADMIN=admin DLQ_ADMIN_PASSWORD="${DLQ_ADMIN_PASSWORD:-first-failure-$$}"
port=${PORT:-8000}
dlqconsole up --data-dir state --port "$port" > up.log 2>&1 &
up=$!
until_says ok curl -fs "http://127.0.0.1:$port/healthz"

step 'dlqconsole attach celery:shop'
export DLQ_DATA_DIR="$PWD/state"
dlqconsole attach celery:shop --because 'first failure' > /dev/null
step 'dlqconsole token admin --scope report'
token=$(dlqconsole token admin --scope report 2> /dev/null)
export DSN="http://$token@127.0.0.1:$port/"

step 'celery -A shop worker'
cp "$here/shop.py" .
celery -A shop worker --concurrency 1 --loglevel ERROR > worker.log 2>&1 &
worker=$!
celery -A shop call shop.charge --args '[17, "1.10"]' > /dev/null

until_says 'billing does not answer' dlqconsole deadletters list --type shop.charge
step 'the failed task is on the page'
touch billing-is-there
step 'dlqconsole deadletters revive'
dlqconsole deadletters revive --type shop.charge --because 'billing is back' > /dev/null
until_says SUCCEEDED dlqconsole deadletters list --type shop.charge --status SUCCEEDED
step 'it succeeded, and is closed'
