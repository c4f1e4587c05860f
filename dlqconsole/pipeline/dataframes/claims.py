"""Messages of a job's own queue: claimed under one token, read by the workers, settled or given back."""

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import uuid4

from dlqconsole.pipeline.database import session
from dlqconsole.pipeline.sql import sql

from .letters import as_batches

# the option of a reader that reads a claim
CLAIM = "claim"
MESSAGE, TOKEN = "dlq_message", "dlq_token"
# of the blocks of this process that have not ended
open_tokens: set[str] = set()
COLUMNS = {
    MESSAGE: "bigint",
    "value": "binary",
    "source": "string",
    "type": "string",
    "key": "string",
    "headers": "map<string,string>",
    TOKEN: "string",
}


class QueueClaim:
    """The messages of a queue that are ours, until ``seconds`` after the last renewal."""

    def __init__(self, database_url: str, queue: str, most: int, seconds: float) -> None:
        self._url, self._seconds = database_url, seconds
        values = {"queue": queue, "most": most, "owner": f"Spark: {queue}", "seconds": float(seconds)}
        with session(database_url, "fixed rows") as connection:
            rows = connection.execute(sql("dataframes.claim"), values).fetchall()
        self.ids: list[int] = sorted(row[0] for row in rows)
        # claimed together, they have one
        self.token: str = rows[0][1] if rows else str(uuid4())

    def renew(self) -> None:
        """Hold it longer."""
        self._execute("dataframes.renew", seconds=float(self._seconds))

    def settle(self) -> int:
        """Settle those that are still held as succeeded; return their number."""
        return self._execute("dataframes.settle")

    def give_back(self) -> None:
        """Let whoever comes next take them."""
        self._execute("dataframes.give_back")

    def _execute(self, name: str, **values: Any) -> int:
        with session(self._url, "fixed rows") as connection:
            return connection.execute(sql(name), {"ids": self.ids, "token": self.token, **values}).rowcount


def read(database_url: str, token: str, first: int, last: int) -> Iterator[Any]:
    """Arrow batches of a claim's messages with ids from first to last. Raises PipelineProblem."""
    values = {"token": token, "first": first, "last": last}
    return as_batches(database_url, "dataframes.claimed", values, COLUMNS)


def fail_again(database_url: str, failures: Sequence[tuple[int, str, str]]) -> int:
    """Messages (id, token, reason) fail: their dead letters are open again, each once. How many were held."""
    ids, tokens, reasons = zip(*failures, strict=True) if failures else ((), (), ())
    values = {"ids": list(ids), "tokens": list(tokens), "reasons": list(reasons)}
    with session(database_url, "fixed rows") as connection:
        return len(connection.execute(sql("dataframes.fail_again"), values).fetchall())
