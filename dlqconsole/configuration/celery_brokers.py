"""The brokers of Celery applications, by the name of each application."""

import re

EXAMPLE = "shop=redis://:password@host:6379/0 crm=amqp://user:password@host/vhost"


def read_brokers(text: str) -> dict[str, str]:
    """Read ``name=url`` pairs, with spaces between. Raises ValueError; its sentence never holds a URL."""
    brokers: dict[str, str] = {}
    for number, pair in enumerate(text.split(), 1):
        name, equals, url = pair.partition("=")
        if not equals or not re.fullmatch(r"[\w.-]{1,100}", name) or not re.match(r"[a-z][a-z0-9+]*://", url):
            raise ValueError(f"Part {number} must look like name=url, as in {EXAMPLE}.")
        if name in brokers:
            raise ValueError(f"It names {name} twice.")
        brokers[name] = url
    return brokers
