#!/bin/sh
# From an empty folder to a failed Celery task on the page, and back: each step with its seconds.
#
#   examples/first_failure/run.sh FOLDER WHEELS DATABASE_URL BROKER [startproject]
#
# FOLDER does not exist yet; WHEELS has the wheels of dlqconsole and dlq; DATABASE_URL is an empty database of
# PostgreSQL 15 or newer; BROKER is a Redis. PYTHON may name a Python 3.12 or newer. With startproject the console
# is a guest in a new Django project.
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
started=''
trap 'kill $started 2>/dev/null; wait' EXIT
start() { # start LOG COMMAND...: in the background, until the end
    log=$1 && shift
    "$@" > "$log" 2>&1 &
    started="$! $started"
}
port=${PORT:-8000}
password=${DLQ_ADMIN_PASSWORD:-first-failure-$$}

alone() {
    console=dlqconsole address="127.0.0.1:$port/"
    export DLQ_ADMIN=admin DLQ_ADMIN_PASSWORD="$password" DLQ_DATA_DIR="$PWD/state"
    step 'dlqconsole up'
    start up.log dlqconsole up --port "$port"
}
guest() {
    console='python manage.py' address="127.0.0.1:$port/dlq/"
    step 'django-admin startproject project . and the lines of docs/guest.md'
    django-admin startproject project .
    cat >> project/settings.py <<'LINES'
import dj_database_url
import dlqconsole
DATABASES = {"default": dj_database_url.config()}
LOGIN_URL = "admin:login"
INSTALLED_APPS += dlqconsole.apps(INSTALLED_APPS)
LINES
    cat >> project/urls.py <<'LINES'
from django.urls import include
urlpatterns += [path("dlq/", include("dlqconsole.urls"))]
LINES
    step 'manage.py migrate, createsuperuser'
    python manage.py migrate --verbosity 0
    DJANGO_SUPERUSER_PASSWORD="$password" python manage.py createsuperuser --noinput --verbosity 0 \
        --username admin --email admin@shop.example
    step 'manage.py runserver, work'
    start web.log python manage.py runserver --noreload "$port"
    start work.log python manage.py work
}

step 'python3 -m venv dlq'
"${PYTHON:-python3}" -m venv dlq
PATH="$PWD/dlq/bin:$PATH"
step 'pip install dlqconsole "dlq[postgres]" "celery[redis]"'
pip install --quiet --disable-pip-version-check --find-links "$wheels" dlqconsole 'dlq[postgres]' 'celery[redis]'
if [ "${5:-}" = startproject ]; then guest; else alone; fi
until_says ok curl -fs "http://${address}healthz"

step "$console attach celery:shop"
$console attach celery:shop --because 'first failure' > /dev/null
step "$console token admin --scope report"
token=$($console token admin --scope report 2> /dev/null)
export DSN="http://$token@$address"

step 'celery -A shop worker'
cp "$here/shop.py" .
start worker.log celery -A shop worker --concurrency 1 --loglevel ERROR
celery -A shop call shop.charge --args '[17, "1.10"]' > /dev/null

until_says 'billing does not answer' $console deadletters list --type shop.charge
step 'the failed task is on the page'
touch billing-is-there
step "$console deadletters revive"
$console deadletters revive --type shop.charge --because 'billing is back' > /dev/null
until_says SUCCEEDED $console deadletters list --type shop.charge --status SUCCEEDED
step 'it succeeded, and is closed'
