"""The settings of our own Django project.

`configuration.settings` has those that a person may set; a bad one stops the start.
"""

from pathlib import Path
from typing import Any
from warnings import filterwarnings

import dj_database_url

from dlqconsole import apps
from dlqconsole.configuration import places
from dlqconsole.configuration.reading import read_or_exit
from dlqconsole.hosting.languages import SOURCE, languages
from dlqconsole.hosting.mail import mail_settings
from dlqconsole.hosting.templates import engine_settings

BASE_DIR = Path(__file__).resolve().parent.parent

environment = read_or_exit()
# settings.DLQ_HANDLERS and all the others, by their own names; the addresses of databases are in DATABASES,
# and the mail server's is in MAILERS
globals().update(environment.plain(without=("DATABASE_URL", "DLQ_DIRECT_DATABASE_URL", "DLQ_MAIL_URL")))
globals().update(mail_settings(environment.DLQ_MAIL_URL.get_secret_value()))

SECRET_KEY = environment.SECRET_KEY.get_secret_value()
DEBUG = environment.DEBUG
HTTPS = environment.DLQ_HTTPS

INSTALLED_APPS = [
    *apps(),
    "dlqconsole.console.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
]
# around the console's own pages there is more: console/serving.py
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "dlqconsole.console.serving.ContentPolicy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "dlqconsole.console.serving.NoStore",
    "dlqconsole.console.access.middleware.Authentication",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "dlqconsole.own_urls"
WSGI_APPLICATION = "dlqconsole.wsgi.application"

# of the admin and the sign-in page; the console's pages have their engine in everybody's project
TEMPLATES = [engine_settings(of_apps=True)]


def _address(url: str) -> dict[str, Any]:
    parts = ("NAME", "USER", "PASSWORD", "HOST", "PORT")
    return {part: dj_database_url.parse(url)[part] for part in parts} if url else {}  # type: ignore[literal-required]


DATABASE: dict[str, Any] = dict(
    dj_database_url.parse(
        environment.DATABASE_URL.get_secret_value(), conn_max_age=60, conn_health_checks=True
    )
)
# PGAPPNAME, of PostgreSQL's own library, names a process's sessions otherwise. How long a statement may take,
# and in which schema it looks for names, engine/database/sessions.py says to each new session.
DATABASE.setdefault("OPTIONS", {}).update({"fallback_application_name": "dlqconsole", "connect_timeout": 10})
# what of it is another where a process needs a direct line; empty: DATABASE_URL is one
DLQ_DIRECT_DATABASE = _address(environment.DLQ_DIRECT_DATABASE_URL.get_secret_value())
if environment.DLQ_DATABASE_POOL:
    # For threaded web servers. Never in a prefork worker: a pool does not survive a fork.
    DATABASE["CONN_MAX_AGE"] = 0
    DATABASE["OPTIONS"]["pool"] = {"min_size": 1, "max_size": environment.DLQ_DATABASE_POOL, "timeout": 10}
DATABASES = {"default": DATABASE}
# a project that has us as a guest has another connection for us, and its users in another schema
DLQ_DATABASE_ALIAS, DLQ_USERS_SCHEMA = "default", ""
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTHENTICATION_BACKENDS = ["dlqconsole.console.access.backend.ThrottledBackend"]
# A hash of the second kind, from before Argon2, is made anew when its owner signs in.
PASSWORD_HASHERS = [
    "dlqconsole.console.access.backend.Argon2",
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
LOGIN_REDIRECT_URL = "dlq:overview"
LOGOUT_REDIRECT_URL = "login"

LANGUAGE_CODE = SOURCE
LANGUAGES = list(languages().items())
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [("dlqconsole", str(places.STATIC))]
# Without a collected folder (a checkout, the tests) the files are served from where they lie.
WHITENOISE_USE_FINDERS = True
filterwarnings("ignore", "No directory at: .*staticfiles", UserWarning)
WHITENOISE_AUTOREFRESH = DEBUG

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"  # search terms stay out of other sites' logs
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz)$"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = (
    ("HTTP_X_FORWARDED_PROTO", "https") if environment.DLQ_TRUSTED_PROXIES.is_there else None
)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
SESSION_COOKIE_NAME = "__Host-session" if HTTPS else "dlq_session"
CSRF_COOKIE_NAME = "__Host-csrf" if HTTPS else "dlq_csrf"
LANGUAGE_COOKIE_NAME = "__Host-language" if HTTPS else "dlq_language"
DEVICE_COOKIE_NAME = "__Host-device" if HTTPS else "dlq_device"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 12 * 3600
LANGUAGE_COOKIE_AGE = 365 * 86_400
SESSION_ENGINE = "dlqconsole.console.access.session_store"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
CSRF_FAILURE_VIEW = "dlqconsole.console.errors.csrf_failure"
# a payload of a mebibyte in the edit form, where a browser may write each byte as three; and its headers
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1_100  # a thousand ticked rows, and what else a form holds

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "dlqconsole.processing.masking.lines.MaskedLines",
            "fmt": "%(asctime)s %(levelname)s %(name)s %(message)s",
            "more_keys": environment.DLQ_MASKED_KEYS if environment.DLQ_MASKING else None,
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": environment.LOG_LEVEL},
    "loggers": {"django.request": {"level": "ERROR"}},
}
