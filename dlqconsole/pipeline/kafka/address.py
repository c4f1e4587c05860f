"""kafka://broker:9092/orders,payments: which brokers and topics a person means on the command line."""

from collections.abc import Mapping

from dlqconsole.pipeline.errors import BadRequest

SCHEME = "kafka://"
EXAMPLE = "kafka://broker:9092/orders"


def options_of(address: str, properties: Mapping[str, str]) -> dict[str, str]:
    """The address and the client's properties as options. Raises BadRequest."""
    brokers, _slash, topics = address.removeprefix(SCHEME).partition("/")
    if "@" in address:
        raise BadRequest(
            "accounts and passwords stand in the file that DLQ_KAFKA_CONFIG names, not in the address"
        )
    if not brokers or not topics.strip("/ ,") or not all(map(_is_broker, brokers.split(","))):
        raise BadRequest(f"name brokers and topics like {EXAMPLE}")
    client = {f"kafka.{name}": value for name, value in properties.items()}
    return {**client, "kafka.bootstrap.servers": brokers, "subscribe": topics.strip("/")}


def _is_broker(text: str) -> bool:
    host, colon, port = text.rpartition(":")
    return bool(host) if colon and port.isdigit() and 0 < int(port) < 65_536 else False
