"""The proxies in front: a number of them, or their networks. Their headers are believed."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Self

EXAMPLE = "1, or 10.0.0.0/8,fd00::/8"
MOST = 10

type Address = IPv4Address | IPv6Address
type Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class TrustedProxies:
    """Either ``count`` proxies, one behind the other, or all of ``networks``. Neither: nobody is believed."""

    count: int = 0
    networks: tuple[Network, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``2`` or ``10.0.0.0/8,fd00::/8``; nothing is nobody. Raises ValueError with a sentence."""
        words = [word.strip() for word in text.split(",") if word.strip()]
        if len(words) == 1 and words[0].isascii() and words[0].isdigit() and len(words[0]) <= len(str(MOST)):
            return cls(count=_number(words[0]))
        return cls(networks=tuple(map(_network, words)))

    @property
    def is_there(self) -> bool:
        """Tell whether there is a proxy in front."""
        return bool(self.count or self.networks)

    def client(self, peer: str, forwarded: str) -> Address | None:
        """The address of the client: ``peer`` is the other end of the line, ``forwarded`` X-Forwarded-For.

        Each proxy adds at the right whom it spoke to, so what stands left of the first one that is not
        trusted may have been made up. None where even the last is no address: a Unix socket has none.
        """
        hops = [*forwarded.split(","), peer] if self.count or self.networks else [peer]
        if self.count:
            return _address(hops[max(len(hops) - 1 - self.count, 0)]) or _address(peer)
        return self._nearest_stranger([_address(hop) for hop in hops])

    def _nearest_stranger(self, hops: Sequence[Address | None]) -> Address | None:
        nearest = hops[-1]
        for hop in reversed(hops):
            if hop is None:
                break
            nearest = hop
            if not any(hop in network for network in self.networks):
                break
        return nearest


def _number(word: str) -> int:
    if int(word) > MOST:
        raise ValueError(f"There can be at most {MOST} proxies, one behind the other.")
    return int(word)


def _network(word: str) -> Network:
    try:
        return ip_network(word)
    except ValueError:
        raise ValueError(f"It must be a number of proxies, or their networks, like {EXAMPLE}.") from None


def _address(text: str) -> Address | None:
    """An address, with or without a port. An IPv4 address that came through IPv6 is one of IPv4."""
    host = text.strip()
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        address = ip_address(host)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address
