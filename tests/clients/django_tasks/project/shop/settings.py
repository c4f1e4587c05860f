"""A shop on Django's tasks, with the console as a guest."""

import os

import dj_database_url
import dlq

import dlqconsole

dlq.init(os.environ["SHOP_CONSOLE"], spool=os.environ["SHOP_SPOOL"], release="1.4.2")
SECRET_KEY = "not-a-secret-of-anybody"
ALLOWED_HOSTS = ["*"]
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_tasks_db",
    "shop",
]
INSTALLED_APPS += dlqconsole.apps()
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
ROOT_URLCONF = "shop.urls"
DATABASES = {"default": dj_database_url.parse(os.environ["DATABASE_URL"])}
TASKS = {
    "default": {"BACKEND": "django_tasks_db.DatabaseBackend", "QUEUES": ["default", "mails", "nobody"]},
    "at_once": {"BACKEND": "django.tasks.backends.immediate.ImmediateBackend"},
}
STATIC_URL = "static/"
USE_TZ = True
