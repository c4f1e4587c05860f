"""Hosts and origins that no browser ever sends are refused at the start, not by every page."""

import pytest

from dlqconsole.configuration.reading import read_settings
from dlqconsole.configuration.setting import Reader


def test_what_a_browser_sends_is_taken(environment):
    environment["ALLOWED_HOSTS"] = "dlq.example.org, .example.org,*,10.0.0.1,[2001:db8::1],intranet,a_b.local"
    environment["CSRF_TRUSTED_ORIGINS"] = (
        "https://dlq.example.org,http://10.0.0.1:8000,https://*.example.org,https://[2001:db8::1]:8443"
    )
    read = read_settings(Reader.DJANGO)
    assert len(read.words("ALLOWED_HOSTS")) == 7
    assert len(read.words("CSRF_TRUSTED_ORIGINS")) == 4


@pytest.mark.parametrize(
    "junk",
    [
        "https://x.example",
        "x.example:8000",
        "a b",
        "x.example/",
        "[::1",
        "*.example.org",
        "-x",
        "é.de",
        "a..b",
    ],
)
def test_what_is_no_host_is_named_with_what_to_give(refusal, junk):
    sentence = refusal("ALLOWED_HOSTS", f"dlq.example.org,{junk}")
    assert sentence.startswith(f"ALLOWED_HOSTS cannot be used. {junk!r} is no host: give its name")


@pytest.mark.parametrize(
    "junk", ["example.org", "-1", "https://a b", "https://x/", "ftp://x", "https://", "https://x:y", "*"]
)
def test_what_is_no_origin_is_named_with_what_to_give(refusal, junk):
    sentence = refusal("CSRF_TRUSTED_ORIGINS", f"https://dlq.example.org,{junk}")
    assert sentence.startswith(f"CSRF_TRUSTED_ORIGINS cannot be used. {junk!r} is no origin: give scheme")


@pytest.mark.parametrize("name", ["ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS"])
@pytest.mark.parametrize("nothing", ["   ", ",", " , "])
def test_only_spaces_and_commas_are_nothing(refusal, name, nothing):
    assert refusal(name, nothing) == f"{name} cannot be used. There is nothing between its commas."
