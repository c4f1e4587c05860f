"""All settings, read from the environment. A bad value stops the start with a sentence."""

import os
import sys
from pathlib import Path
from typing import Any

from django.utils.csp import CSP
from environs import Env, EnvError

from dlqconsole.runtime.environment import load_demo_environment
from dlqconsole.transports.mysql_address import MysqlAddress

BASE_DIR = Path(__file__).resolve().parent.parent

load_demo_environment()
env = Env()


def _stop(error: Exception) -> None:
    """End the start with one sentence: a process with half its settings is worse than none."""
    sys.exit(f"dlqconsole cannot start: {error}")


try:
    DATABASE: dict[str, Any] = env.dj_db_url("DATABASE_URL", conn_max_age=60, conn_health_checks=True)
    DATABASE_POOL = env.int("DLQ_DATABASE_POOL", 0)  # connections a web process shares; 0: one a thread
    SECRET_KEY = env.str("SECRET_KEY")
    REDIS_URL = env.str("REDIS_URL", "redis://127.0.0.1:6379/0")
    DLQ_MYSQL_URL = env.str("DLQ_MYSQL_URL", "")  # of attached MySQL queues; empty: there are none
    DLQ_METRICS_TOKEN = env.str("DLQ_METRICS_TOKEN", "")  # lets Prometheus read /metrics; empty: people only
    DEBUG = env.bool("DEBUG", False)
    HTTPS = env.bool("DLQ_HTTPS", True)
    ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
    CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", [])
    DLQ_HANDLERS = env.str("DLQ_HANDLERS", "")
    DLQ_REPORTS = env.str("DLQ_REPORTS", "")
    DLQ_MAX_PAYLOAD_BYTES = env.int("DLQ_MAX_PAYLOAD_BYTES", 1024 * 1024)
    # The schedule (the names and defaults of the design this system grew from).
    DLQ_RETRY_ENABLED = env.bool("DLQ_RETRY_ENABLED", True)
    DLQ_RETRY_MAX_RETRIES = env.int("DLQ_RETRY_MAX_RETRIES", 240)
    DLQ_RETRY_BATCH_SIZE = env.int("DLQ_RETRY_BATCH_SIZE", 50)
    DLQ_RETRY_FIXED_RATE = env.int("DLQ_RETRY_FIXED_RATE", 21_600_000)  # milliseconds
    DLQ_RETRY_TIME_BUDGET = env.int("DLQ_RETRY_TIME_BUDGET", 240)  # seconds one run may drain
    DLQ_RETRY_BACKOFF_BASE = env.int("DLQ_RETRY_BACKOFF_BASE", 60)  # seconds
    DLQ_RETRY_BACKOFF_CAP = env.int("DLQ_RETRY_BACKOFF_CAP", 21_600)  # seconds
    DLQ_LEASE_SECONDS = env.int("DLQ_LEASE_SECONDS", 60)
    DLQ_HANDLER_TIMEOUT = env.int("DLQ_HANDLER_TIMEOUT", 30)  # seconds one event may take
    DLQ_BREAKER_FAILURES = env.int("DLQ_BREAKER_FAILURES", 20)  # in a row on a queue; 0: never leave it alone
    DLQ_OPERATION_PAGE = env.int("DLQ_OPERATION_PAGE", 2000)  # rows one commit of an operation changes
    DLQ_OPERATION_LEASE_SECONDS = env.int("DLQ_OPERATION_LEASE_SECONDS", 20)
    DLQ_FOUR_EYES_ABOVE = env.int("DLQ_FOUR_EYES_ABOVE", 1000)  # items one person may change alone
    DLQ_APPROVAL_SECONDS = env.int("DLQ_APPROVAL_SECONDS", 3600)  # how long a request waits for the second
    DLQ_UNDO_SECONDS = env.int("DLQ_UNDO_SECONDS", 30)  # what the console proposes to hold revived messages
    DLQ_MASKED_KEYS: list[str] = env.list("DLQ_MASKED_KEYS", [])  # keys with personal data of your own
    DLQ_MASKING = env.bool("DLQ_MASKING", True)  # on pages; exports have a choice of their own
    DLQ_EXPORT_DAYS = env.int("DLQ_EXPORT_DAYS", 7)  # how long an export's file is kept
    DLQ_RETENTION_DAYS = env.int("DLQ_RETENTION_DAYS", 0)  # DISCARDED and SUCCEEDED are kept; 0: for ever
except EnvError as error:
    _stop(error)


def _check_bounds() -> None:
    bounds = {
        "DATABASE_POOL": (0, 1_000),
        "DLQ_MAX_PAYLOAD_BYTES": (1, 256 * 1024 * 1024),
        "DLQ_RETRY_MAX_RETRIES": (0, 1_000_000),
        "DLQ_RETRY_BATCH_SIZE": (1, 10_000),
        "DLQ_RETRY_FIXED_RATE": (1_000, 31 * 86_400_000),
        "DLQ_RETRY_TIME_BUDGET": (1, 86_400),
        "DLQ_RETRY_BACKOFF_BASE": (1, 86_400),
        "DLQ_RETRY_BACKOFF_CAP": (1, 31 * 86_400),
        "DLQ_LEASE_SECONDS": (1, 86_400),
        "DLQ_HANDLER_TIMEOUT": (1, 86_400),
        "DLQ_BREAKER_FAILURES": (0, 1_000_000),
        "DLQ_OPERATION_PAGE": (1, 50_000),
        "DLQ_OPERATION_LEASE_SECONDS": (2, 3_600),
        "DLQ_EXPORT_DAYS": (1, 3_650),
        "DLQ_RETENTION_DAYS": (0, 36_500),
        "DLQ_FOUR_EYES_ABOVE": (0, 1_000_000_000),
        "DLQ_APPROVAL_SECONDS": (10, 31 * 86_400),
        "DLQ_UNDO_SECONDS": (0, 86_400),
    }
    for name, (low, high) in bounds.items():
        value = globals()[name]
        if not low <= value <= high:
            _stop(ValueError(f"{name} is {value}; it must be between {low} and {high}."))
    if not DATABASE.get("ENGINE", "").endswith("postgresql"):
        _stop(ValueError("DATABASE_URL must name a PostgreSQL database (postgres://…)."))
    try:
        if DLQ_MYSQL_URL:
            MysqlAddress.from_url(DLQ_MYSQL_URL)
    except ValueError as error:
        _stop(ValueError(f"DLQ_MYSQL_URL cannot be used. {error}"))


_check_bounds()

INSTALLED_APPS = [
    "dlqconsole.engine",
    "dlqconsole.transports",
    "dlqconsole.retries",
    "dlqconsole.operations",
    "dlqconsole.reports",
    "dlqconsole.console",
    "django_htmx",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "dlqconsole.console.errors.middleware.FriendlyErrors",
]

ROOT_URLCONF = "dlqconsole.urls"
WSGI_APPLICATION = "dlqconsole.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "dlqconsole.console.access.permissions.role_context",
            ],
        },
    },
]

# The web asks short questions; a stuck one must not hold a worker. Exports and workers set their own limits.
DATABASE.setdefault("OPTIONS", {}).update(
    {
        "application_name": os.environ.get("DLQ_PROCESS", "dlqconsole"),
        "connect_timeout": 10,
        "options": "-c statement_timeout=30000 -c lock_timeout=10000"
        " -c idle_in_transaction_session_timeout=60000",
    }
)
if DATABASE_POOL:
    # For threaded web servers. Never in a prefork worker: a pool does not survive a fork.
    DATABASE["CONN_MAX_AGE"] = 0
    DATABASE["OPTIONS"]["pool"] = {"min_size": 1, "max_size": DATABASE_POOL, "timeout": 10}
DATABASES = {"default": DATABASE}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

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
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = Path(env.str("DLQ_STATIC_ROOT", str(BASE_DIR / "staticfiles")))
STATICFILES_DIRS = [BASE_DIR / "static"]
# Without a collected folder (a checkout, the tests) the files are served from where they lie.
WHITENOISE_USE_FINDERS = True
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
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.bool("DLQ_BEHIND_PROXY", False) else None
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_NAME = "__Host-session" if HTTPS else "dlq_session"
CSRF_COOKIE_NAME = "__Host-csrf" if HTTPS else "dlq_csrf"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 12 * 3600
CSRF_FAILURE_VIEW = "dlqconsole.console.errors.views.csrf_failure"
# a payload of a mebibyte in the edit form, where a browser may write each byte as three; and its headers
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1_100  # a thousand ticked rows, and what else a form holds

CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "dlqconsole"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_timeout": 5, "socket_connect_timeout": 2, "max_retries": 1}
CELERY_TASK_PUBLISH_RETRY = False  # the click is already in PostgreSQL; the sweep finds it
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TIMEZONE = "UTC"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", "INFO")},
    "loggers": {"django.request": {"level": "ERROR"}},
}
