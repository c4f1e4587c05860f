"""The address of a client: nobody can choose it for himself."""

import pytest

from dlqconsole.configuration.trusted_proxies import TrustedProxies

STRANGER, PROXY, INNER = "203.0.113.9", "10.0.0.1", "10.0.0.2"


@pytest.mark.parametrize(
    ("trusted", "peer", "forwarded", "client"),
    [
        ("", STRANGER, "", STRANGER),
        ("", STRANGER, "1.1.1.1", STRANGER),
        ("0", STRANGER, "1.1.1.1", STRANGER),
        ("1", PROXY, STRANGER, STRANGER),
        ("1", PROXY, f"1.1.1.1, {STRANGER}", STRANGER),
        ("2", PROXY, f"1.1.1.1, {STRANGER}, {INNER}", STRANGER),
        ("2", PROXY, STRANGER, STRANGER),  # one proxy was gone around
        ("1", PROXY, "", PROXY),
        ("1", PROXY, "nonsense", PROXY),
        ("1", "", STRANGER, STRANGER),  # through a Unix socket
        ("1", "", "", None),
        ("10.0.0.0/8", PROXY, f"1.1.1.1,{STRANGER},{INNER}", STRANGER),
        ("10.0.0.0/8", STRANGER, "1.1.1.1", STRANGER),
        ("10.0.0.0/8", PROXY, f"1.1.1.1, nonsense, {INNER}", INNER),
        ("10.0.0.0/8", PROXY, INNER, INNER),
        ("10.0.0.1/32,fd00::/8", "fd00::1", f"{STRANGER}, {PROXY}", STRANGER),
        ("1", PROXY, f"{STRANGER}:4711", STRANGER),
        ("1", PROXY, "[2001:db8::1]:4711", "2001:db8::1"),
        ("1", PROXY, f"::ffff:{STRANGER}", STRANGER),
    ],
)
def test_the_rightmost_that_is_not_trusted_is_the_client(trusted, peer, forwarded, client):
    found = TrustedProxies.parse(trusted).client(peer, forwarded)
    assert (str(found) if found else None) == client


@pytest.mark.parametrize("junk", ["all", "11", "-1", "10.0.0.0/33", "10.0.0.1/8", "1,2", "*", "٣", "9" * 40])
def test_what_is_neither_is_refused_in_a_sentence(junk):
    with pytest.raises(ValueError, match=r"^(It must be|There can)"):
        TrustedProxies.parse(junk)
