"""A start that would leave the door open is refused: a weak secret, DEBUG in public, no HTTPS in public."""

import re
import secrets

import pytest
from pydantic import SecretStr

from dlqconsole.configuration import checks
from dlqconsole.configuration.demo_environment import CHECKOUT

PUBLIC = [
    "dlq.example.org", "*", ".example.org", "192.168.1.7", "10.0.0.1", "[2001:db8::1]", "intranet",
    "localhost.example.org", "127.0.0.1.nip.io", "2130706433",
]  # fmt: skip
LOCAL = ["localhost", "LOCALHOST", "localhost.", "127.0.0.1", "127.9.9.9", "[::1]", "::1", "dlq.localhost"]


@pytest.mark.parametrize(
    ("weak", "words"),
    [
        ("secret", "It has 6 characters and needs 32"),
        ("x7Kq" * 4, "It has 16 characters"),
        ("a" * 64, "It is not random"),
        ("ab" * 40, "It is not random"),
        ("0123456789" * 7, "It is not random"),
        ("k7Jw2-Zt9qXv4-Ld8nRb" * 3, "It is not random"),
        ("abcdefghijklmnopqrstuvwxyz0123456789", "Its words stand in public documents"),
        ("qwertyuiopasdfghjklzxcvbnm1234567890qwerty", "Its words stand in public documents"),
        ("django-insecure-#9v@2k1x8z!q4w7e5r6t0y3u", "Its words stand in public documents"),
        ("Change-Me_" + "kq83hd92js61lw05zm47xn28bv", "Its words stand in public documents"),
        ("your-secret-key-goes-here-1234567", "Its words stand in public documents"),
        ("choose a long random text, please, 7x", "Its words stand in public documents"),
    ],
)
def test_a_secret_that_can_be_guessed_is_refused_and_not_said(environment, refusals, weak, words):
    environment["SECRET_KEY"] = weak
    (sentence,) = refusals()
    assert sentence.startswith(f"SECRET_KEY: {words}")
    assert "secrets.token_urlsafe" in sentence
    assert len(weak) < 10 or weak not in sentence


def test_random_secrets_of_all_kinds_are_taken():
    for _ in range(200):
        for secret in (secrets.token_urlsafe(50), secrets.token_hex(16), secrets.token_hex(32)):
            checks.strong(SecretStr(secret))


def test_the_secrets_of_our_own_documents_are_refused():
    """A secret that stands in a page, a compose file or an image is everybody's."""
    files = [
        *(CHECKOUT / "docs").glob("*.md"),
        *map(CHECKOUT.joinpath, ("README.md", "compose.yaml", "Dockerfile")),
    ]
    found = [
        key
        for file in [*files, CHECKOUT / "Makefile"]
        for key in re.findall(r"SECRET_KEY[=:] ?[\"']?([\w-]{4,})", file.read_text(encoding="utf-8"))
    ]
    for key in found:
        with pytest.raises(ValueError, match="It"):
            checks.strong(SecretStr(key))


@pytest.mark.parametrize("host", PUBLIC)
def test_debug_and_no_https_are_not_for_public_hosts(environment, refusals, host):
    environment |= {"ALLOWED_HOSTS": f"localhost,{host}", "DEBUG": "true", "DLQ_HTTPS": "false"}
    assert refusals() == [
        f"{name} is '{value}': It cannot be {value} with ALLOWED_HOSTS {host!r}; that goes with localhost and"
        " 127.0.0.1 only"
        for name, value in (("DLQ_HTTPS", "false"), ("DEBUG", "true"))
    ]
    environment |= {"DEBUG": "false", "DLQ_HTTPS": "true"}
    assert refusals() == []


def test_at_home_both_may_be(environment, refusals):
    environment |= {"ALLOWED_HOSTS": ",".join(LOCAL), "DEBUG": "true", "DLQ_HTTPS": "false"}
    assert refusals() == []
    assert all(map(checks.is_local, LOCAL))


def test_without_hosts_the_default_is_home(environment, refusals):
    environment |= {"DEBUG": "true", "DLQ_HTTPS": "false"}
    assert refusals() == []
