"""The mail server of our own Django project. In somebody else's, that project's settings say which."""

from typing import Any

import django

from dlqconsole.configuration.addresses import MailServer

# to connect, and for each answer
_SECONDS = 30


def mail_settings(url: str) -> dict[str, Any]:
    """Return Django's settings for the server and sender of DLQ_MAIL_URL."""
    server = MailServer.from_url(url)
    options = {
        "host": server.host,
        "port": server.port,
        "username": server.user,
        "password": server.password,
        "use_tls": server.scheme == "smtp+tls",
        "use_ssl": server.scheme == "smtps",
        "timeout": _SECONDS,
    }
    sender = {"DEFAULT_FROM_EMAIL": server.sender}
    if django.VERSION >= (6, 1):
        return sender | {"MAILERS": {"default": {"OPTIONS": options}}}
    older = {"username": "host_user", "password": "host_password"}
    return sender | {f"EMAIL_{older.get(name, name).upper()}": value for name, value in options.items()}
