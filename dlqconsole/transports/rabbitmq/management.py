"""RabbitMQ's management API, of which we only read: it tells where queues dead-letter to. AMQP does not."""

import base64
import http.client
import json
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from dlqconsole.configuration.addresses import RabbitmqAddress
from dlqconsole.transports.errors import TransportUnavailable

SECONDS = 10.0
MOST_BYTES = 64 * 1024 * 1024
# by default beside AMQP
_PORTS = {False: ("http", 15672), True: ("https", 15671)}
_WHY = {
    401: "it does not let this account in. Give it the tag management",
    403: "it does not let this account in. Give it the tag management",
    404: "it is not there. Enable RabbitMQ's plugin rabbitmq_management, or set DLQ_RABBITMQ_MANAGEMENT_URL",
}


class Management:
    """The API of one virtual host, with the account of DLQ_RABBITMQ_URL. No redirect is followed."""

    def __init__(self, address: RabbitmqAddress, url: str) -> None:
        scheme, port = _PORTS[address.tls]
        parts = urlsplit(url or f"{scheme}://{address.host}:{port}")
        self._address, self._parts = address, parts
        self._name = f"RabbitMQ's management API at {parts.hostname}:{parts.port or parts.scheme}"

    def queues(self) -> list[dict[str, Any]]:
        """Return the queues, with what counts for their dead letters."""
        return self._get("queues", "name,arguments,effective_policy_definition,messages,consumers")

    def exchanges(self) -> list[dict[str, Any]]:
        """Return the exchanges."""
        return self._get("exchanges", "name,type,arguments,policy")

    def bindings(self) -> list[dict[str, Any]]:
        """Return the bindings: from an exchange to a queue or another exchange."""
        return self._get("bindings", "source,destination,destination_type,routing_key")

    def _get(self, what: str, columns: str) -> list[dict[str, Any]]:
        account = f"{self._address.user}:{self._address.password}".encode()
        headers = {"Authorization": f"Basic {base64.b64encode(account).decode()}"}
        path = f"{self._parts.path.rstrip('/')}/api/{what}/{quote(self._address.vhost, safe='')}"
        connection = self._connection()
        try:
            connection.request("GET", f"{path}?columns={columns}", headers=headers)
            response = connection.getresponse()
            content = response.read(MOST_BYTES + 1)
            if response.status != 200:
                why = _WHY.get(response.status, f"it answers {response.status}")
                raise TransportUnavailable(f"{self._name}: {why}.")
            if len(content) > MOST_BYTES:
                raise TransportUnavailable(f"{self._name}: it has more {what} than anybody reads here.")
            return _rows(json.loads(content))
        except (OSError, http.client.HTTPException, ValueError) as error:
            why = getattr(error, "strerror", None) or type(error).__name__
            raise TransportUnavailable(
                f"{self._name} does not answer: {why}. Enable RabbitMQ's plugin rabbitmq_management, or set"
                " DLQ_RABBITMQ_MANAGEMENT_URL."
            ) from None
        finally:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "https":
            return http.client.HTTPSConnection(
                host, port, timeout=SECONDS, context=ssl.create_default_context()
            )
        return http.client.HTTPConnection(host, port, timeout=SECONDS)


def _rows(answer: Any) -> list[dict[str, Any]]:
    if not isinstance(answer, list):
        raise ValueError("no list")
    return [dict(each) for each in answer if isinstance(each, Mapping)]
