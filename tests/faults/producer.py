"""A producer: sends in transactions beside work of its own, and notes in a ledger what it was promised.

``python -m tests.faults.producer NAME COUNT SEED SECONDS LEDGER``. Each line of the ledger is on the disk
before the next thing happens: ``try KEY`` before a transaction, ``ack KEY`` after its commit was confirmed.
"""

import json
import os
import random
import sys
import time
from pathlib import Path

import django

# who refuses, stumbles or kills is known by the place alone
REFUSED_EVERY, STUMBLING_EVERY, DEADLY = 97, 41, 1_600
GROUPS = 50


def main(name: str, count: int, seed: int, seconds: float, ledger: Path) -> None:
    """Send ``count`` messages over about so many seconds."""
    from django.db import Error, connection, transaction

    from dlqconsole.core import messages

    draw = random.Random(f"{seed}-{name}")
    begun, place, groups = time.monotonic(), 0, {}
    with ledger.open("a") as lines:
        while place < count:
            size = min(draw.randint(1, 80) if draw.random() < 0.1 else draw.randint(1, 15), count - place)
            rows = [_message(draw, name, number, groups) for number in range(place, place + size)]
            place += size
            _write(lines, "try", rows)
            try:
                with transaction.atomic():
                    with connection.cursor() as cursor:
                        cursor.executemany(
                            "INSERT INTO produced (key) VALUES (%s)", [(row["key"],) for row in rows]
                        )
                    _send(messages, rows)
                    time.sleep(draw.choice([0, 0, 0, 0.005, 0.03]))
                _write(lines, "ack", rows)
            except Error:
                connection.close()
                time.sleep(0.2)
            time.sleep(max(0.0, begun + seconds * place / count - time.monotonic()))


def _message(draw: random.Random, name: str, number: int, groups: dict[str, int]) -> dict[str, object]:
    row: dict[str, object] = {"key": f"{name}-{number}", "place": number}
    if number % 3 == 0:
        # one producer a group: only then is there an order of sending
        row["group"] = f"{name}-{draw.randrange(GROUPS)}"
    if number == DEADLY:
        row["do"] = "crash"
    elif number % REFUSED_EVERY == 0:
        row["do"] = "refuse"
    elif number % STUMBLING_EVERY == 0:
        row["do"] = "stumble"
    return row


def _send(messages, rows) -> None:
    new = [
        messages.NewMessage(json.dumps(row), group_key=row.get("group"), priority=int(row["place"]) % 7 // 6)
        for row in rows
    ]
    if len(new) == 1:
        messages.send("chaos", new[0].payload, group_key=new[0].group_key)
    else:
        messages.send_many("chaos", new)


def _write(lines, word: str, rows) -> None:
    lines.writelines(f"{word} {row['key']}\n" for row in rows)
    lines.flush()
    os.fsync(lines.fileno())


if __name__ == "__main__":
    django.setup()
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), Path(sys.argv[5]))
