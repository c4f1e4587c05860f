"""Commands and pages where there are no tables of ours: `python -m tests.own_schema.asking`."""

import json

import django

django.setup()

from django.test import Client  # noqa: E402  (Django first)

from tests.console.parts.test_bad_command_lines import WHY, ended  # noqa: E402

COMMANDS = (
    ("queues",),
    ("queues", "create", *WHY, "orders"),
    ("send", "orders"),
    ("consume", "orders", "--until-empty"),
    ("deadletters", "count"),
    ("deadletters", "discard", "--all", *WHY),
    ("rollups", "check"),
    ("grants",),
)
PAGES = ("/login/", "/", "/readyz", "/healthz")


def page(client: Client, path: str) -> tuple[int, str]:
    answer = client.get(path, follow=True)
    return answer.status_code, answer.content.decode()


client = Client(SERVER_NAME="localhost", raise_request_exception=False)
signing_in = client.post("/login/", {"username": "ann", "password": "any"})
print(
    json.dumps(
        {
            "commands": [(" ".join(command), *ended(*command)) for command in COMMANDS],
            "pages": {path: page(client, path) for path in PAGES},
            "sign in": (signing_in.status_code, signing_in.content.decode()),
        }
    )
)
