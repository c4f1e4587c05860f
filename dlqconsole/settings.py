"""Django's settings. What a person may set is in `configuration.table`; a bad value stops the start."""

import re
import sys
import warnings
from pathlib import Path
from typing import Any

import dj_database_url
from django.utils.csp import CSP

from dlqconsole.configuration.demo_environment import archive_directory
from dlqconsole.configuration.reading import BadSettings, read_settings
from dlqconsole.configuration.setting import Reader
from dlqconsole.configuration.trusted_proxies import TrustedProxies

BASE_DIR = Path(__file__).resolve().parent.parent

try:
    given = read_settings(Reader.DJANGO)
except BadSettings as problem:
    # one line and no traceback: a process with half its settings is worse than none
    sys.exit(f"dlqconsole cannot start: {problem}")

SECRET_KEY = given.text("SECRET_KEY")
DEBUG = given.switch("DEBUG")
HTTPS = given.switch("DLQ_HTTPS")
ALLOWED_HOSTS = given.words("ALLOWED_HOSTS")
CSRF_TRUSTED_ORIGINS = given.words("CSRF_TRUSTED_ORIGINS")
DLQ_MYSQL_URL = given.text("DLQ_MYSQL_URL")
DLQ_KAFKA_SERVERS = given.text("DLQ_KAFKA_SERVERS")
DLQ_KAFKA_CONFIG = given.text("DLQ_KAFKA_CONFIG")
DLQ_TRUSTED_PROXIES = TrustedProxies.parse(given.text("DLQ_TRUSTED_PROXIES"))
DLQ_IDLE_MINUTES = given.number("DLQ_IDLE_MINUTES")
DLQ_METRICS_TOKEN = given.text("DLQ_METRICS_TOKEN")
DLQ_AUDIT_KEY = given.words("DLQ_AUDIT_KEY")
DLQ_HANDLERS = given.text("DLQ_HANDLERS")
DLQ_REPORTS = given.text("DLQ_REPORTS")
DLQ_REPORT_AT = given.text("DLQ_REPORT_AT")
DLQ_INGEST_FOLDERS = given.words("DLQ_INGEST_FOLDERS")
DLQ_PIPELINE_MEMORY = given.number("DLQ_PIPELINE_MEMORY")
DLQ_MAX_PAYLOAD_BYTES = given.number("DLQ_MAX_PAYLOAD_BYTES")
DLQ_MAX_PAYLOAD_KEYS = given.number("DLQ_MAX_PAYLOAD_KEYS")
DLQ_MAX_RECORD_BYTES = given.number("DLQ_MAX_RECORD_BYTES")
DLQ_RETRY_ENABLED = given.switch("DLQ_RETRY_ENABLED")
DLQ_RETRY_MAX_RETRIES = given.number("DLQ_RETRY_MAX_RETRIES")
DLQ_RETRY_BATCH_SIZE = given.number("DLQ_RETRY_BATCH_SIZE")
DLQ_RETRY_PARALLEL = given.number("DLQ_RETRY_PARALLEL")
DLQ_RETRY_GRACE = given.number("DLQ_RETRY_GRACE")
DLQ_RETRY_FIXED_RATE = given.number("DLQ_RETRY_FIXED_RATE")
DLQ_RETRY_TIME_BUDGET = given.number("DLQ_RETRY_TIME_BUDGET")
DLQ_RETRY_BACKOFF_BASE = given.number("DLQ_RETRY_BACKOFF_BASE")
DLQ_RETRY_BACKOFF_CAP = given.number("DLQ_RETRY_BACKOFF_CAP")
DLQ_LOCK_TIME = given.text("DLQ_LOCK_TIME")
DLQ_LEASE_SECONDS = given.number("DLQ_LEASE_SECONDS")
DLQ_PACE_ENABLED = given.switch("DLQ_PACE_ENABLED")
DLQ_PACE_FLOOR = given.number("DLQ_PACE_FLOOR")
DLQ_PACE_CEILING = given.number("DLQ_PACE_CEILING")
DLQ_PACE_COME_BACK = given.number("DLQ_PACE_COME_BACK")
DLQ_HANDLER_TIMEOUT = given.number("DLQ_HANDLER_TIMEOUT")
DLQ_HANDLER_ISOLATION = given.text("DLQ_HANDLER_ISOLATION")
DLQ_HANDLER_MEMORY = given.number("DLQ_HANDLER_MEMORY")
DLQ_HANDLER_CALLS = given.number("DLQ_HANDLER_CALLS")
DLQ_BREAKER_FAILURES = given.number("DLQ_BREAKER_FAILURES")
DLQ_BREAKER_SHARE = given.number("DLQ_BREAKER_SHARE")
DLQ_BREAKER_SUCCESSES = given.number("DLQ_BREAKER_SUCCESSES")
DLQ_BREAKER_FIRST_PAUSE = given.number("DLQ_BREAKER_FIRST_PAUSE")
DLQ_BREAKER_LONGEST_PAUSE = given.number("DLQ_BREAKER_LONGEST_PAUSE")
DLQ_OPERATION_PAGE = given.number("DLQ_OPERATION_PAGE")
DLQ_OPERATION_LEASE_SECONDS = given.number("DLQ_OPERATION_LEASE_SECONDS")
DLQ_FOUR_EYES_ABOVE = given.number("DLQ_FOUR_EYES_ABOVE")
DLQ_APPROVAL_SECONDS = given.number("DLQ_APPROVAL_SECONDS")
DLQ_COME_BACKS = given.number("DLQ_COME_BACKS")
DLQ_REHEARSAL_HOURS = given.number("DLQ_REHEARSAL_HOURS")
DLQ_TOKEN = given.text("DLQ_TOKEN")
DLQ_UNDO_SECONDS = given.number("DLQ_UNDO_SECONDS")
DLQ_MASKED_KEYS = given.words("DLQ_MASKED_KEYS")
DLQ_MASKING = given.switch("DLQ_MASKING")
DLQ_EXPORT_DAYS = given.number("DLQ_EXPORT_DAYS")
DLQ_SAMPLE_ONE_IN = given.number("DLQ_SAMPLE_ONE_IN")
DLQ_SAMPLE_MASKED = given.switch("DLQ_SAMPLE_MASKED")
DLQ_SAMPLE_PER_DAY = given.number("DLQ_SAMPLE_PER_DAY")
DLQ_SAMPLE_DAYS = given.number("DLQ_SAMPLE_DAYS")
DLQ_RETENTION_DAYS = given.number("DLQ_RETENTION_DAYS")
DLQ_ATTEMPTS_DAYS = given.number("DLQ_ATTEMPTS_DAYS")
DLQ_RECEIPT_DAYS = given.number("DLQ_RECEIPT_DAYS")
DLQ_RUN_DAYS = given.number("DLQ_RUN_DAYS")
DLQ_ARCHIVE_AFTER_DAYS = given.number("DLQ_ARCHIVE_AFTER_DAYS")
DLQ_ARCHIVE_DIR = archive_directory(given.text("DLQ_ARCHIVE_DIR"))

INSTALLED_APPS = [
    "dlqconsole.tables",
    "dlqconsole.engine",
    "dlqconsole.people",
    "dlqconsole.transports",
    "dlqconsole.consuming",
    "dlqconsole.retries",
    "dlqconsole.runs",
    "dlqconsole.rehearsals",
    "dlqconsole.insight",
    "dlqconsole.operations",
    "dlqconsole.contrib.playbooks",
    "dlqconsole.reports",
    "dlqconsole.archive",
    "dlqconsole.console",
    "django_htmx",
    "dlqconsole.console.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django.forms",  # its widgets' templates, for forms that render with ours
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "dlqconsole.console.parts.visible_pages.VisiblePages",
    "django.middleware.csrf.CsrfViewMiddleware",
    "dlqconsole.console.access.middleware.Authentication",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "dlqconsole.console.errors.middleware.FriendlyErrors",
    "dlqconsole.console.access.acting.ActingPerson",
    "dlqconsole.console.parts.request_cache.RequestCache",
]

ROOT_URLCONF = "dlqconsole.urls"
WSGI_APPLICATION = "dlqconsole.wsgi.application"

_LOADERS = [f"django.template.loaders.{name}.Loader" for name in ("filesystem", "app_directories")]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            # the gate: what a template writes out is masked, and masked before it is cut
            "loaders": [("dlqconsole.console.masking.templates.Loader", _LOADERS)],
            "builtins": ["dlqconsole.console.templatetags.gated"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "dlqconsole.console.access.permissions.role_context",
            ],
        },
    },
]


def _address(url: str) -> dict[str, Any]:
    parts = ("NAME", "USER", "PASSWORD", "HOST", "PORT")
    return {part: dj_database_url.parse(url)[part] for part in parts} if url else {}  # type: ignore[literal-required]


DATABASE: dict[str, Any] = dict(
    dj_database_url.parse(given.text("DATABASE_URL"), conn_max_age=60, conn_health_checks=True)
)
# How long a statement may take, engine/database/sessions.py says to each new session.
DATABASE.setdefault("OPTIONS", {}).update(
    {"application_name": given.text("DLQ_PROCESS"), "connect_timeout": 10}
)
# what of it is another where a process needs a direct line; empty: DATABASE_URL is one
DLQ_DIRECT_DATABASE = _address(given.text("DLQ_DIRECT_DATABASE_URL"))
DATABASE_POOL = given.number("DLQ_DATABASE_POOL")
if DATABASE_POOL:
    # For threaded web servers. Never in a prefork worker: a pool does not survive a fork.
    DATABASE["CONN_MAX_AGE"] = 0
    DATABASE["OPTIONS"]["pool"] = {"min_size": 1, "max_size": DATABASE_POOL, "timeout": 10}
DATABASES = {"default": DATABASE}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTHENTICATION_BACKENDS = ["dlqconsole.console.access.backend.ThrottledBackend"]
# A hash of the second kind, from before Argon2, is made anew when its owner signs in.
PASSWORD_HASHERS = [
    "dlqconsole.console.access.hashing.Argon2",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "overview"
LOGOUT_REDIRECT_URL = "login"

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = Path(given.text("DLQ_STATIC_ROOT") or BASE_DIR / "staticfiles")
STATICFILES_DIRS = [BASE_DIR / "static"]
# Without a collected folder (a checkout, the tests) the files are served from where they lie. That the usual
# folder is not there is then no news; that the one which somebody named is not there, is.
WHITENOISE_USE_FINDERS = True
if not given.text("DLQ_STATIC_ROOT"):
    warnings.filterwarnings("ignore", re.escape(f"No directory at: {STATIC_ROOT}"), UserWarning)
WHITENOISE_AUTOREFRESH = DEBUG

SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "font-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
    "object-src": [CSP.NONE],
}
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"  # search terms stay out of other sites' logs
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz)$"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if given.switch("DLQ_BEHIND_PROXY") else None
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_NAME = "__Host-session" if HTTPS else "dlq_session"
CSRF_COOKIE_NAME = "__Host-csrf" if HTTPS else "dlq_csrf"
DEVICE_COOKIE_NAME = "__Host-device" if HTTPS else "dlq_device"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 12 * 3600
SESSION_ENGINE = "dlqconsole.console.access.session_store"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
CSRF_FAILURE_VIEW = "dlqconsole.console.errors.views.csrf_failure"
# a payload of a mebibyte in the edit form, where a browser may write each byte as three; and its headers
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1_100  # a thousand ticked rows, and what else a form holds

REDIS_URL = given.text("REDIS_URL")
CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "dlqconsole"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_timeout": 5,
    "socket_connect_timeout": 2,
    "max_retries": 1,
    # all that we write there: an account of Redis needs no other key
    "global_keyprefix": "dlqconsole:",
}
CELERY_TASK_PUBLISH_RETRY = False  # the click is already in PostgreSQL; the sweep finds it
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TIMEZONE = "UTC"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "dlqconsole.processing.masked_lines.MaskedLines",
            "fmt": "%(asctime)s %(levelname)s %(name)s %(message)s",
            "more_keys": DLQ_MASKED_KEYS if DLQ_MASKING else None,
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": given.text("LOG_LEVEL")},
    "loggers": {"django.request": {"level": "ERROR"}},
}
