"""A project as ``django-admin startproject`` makes it, with an application, users and PostgreSQL."""

import os
from pathlib import Path

import dj_database_url

import dlqconsole

BASE_DIR = Path(__file__).resolve().parent
SECRET_KEY = "not-a-secret-of-anybody"
DEBUG = False
ALLOWED_HOSTS = ["*"]
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "tests.guest.project.archive",
]
IS_ALONE = "SHOP_ALONE" in os.environ
if not IS_ALONE:
    INSTALLED_APPS += dlqconsole.apps()
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "tests.guest.project.urls"
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
            ],
        },
    },
]
DATABASES = {"default": dj_database_url.parse(os.environ["DATABASE_URL"])}
if "postgresql" in DATABASES["default"]["ENGINE"]:
    DATABASES["default"] |= {"ATOMIC_REQUESTS": True, "OPTIONS": {"pool": True}}
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
APPEND_SLASH = False
if console := os.environ.get("CONSOLE_URL"):
    DATABASES["dlq"] = dj_database_url.parse(console)
AUTH_USER_MODEL = "archive.Clerk"
LOGIN_URL = "come-in"
STATIC_URL = "static/"
USE_TZ = True
TIME_ZONE = "Asia/Kolkata"
LANGUAGE_CODE = "de"
DLQ_MASKED_KEYS = "nickname"
