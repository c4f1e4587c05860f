"""python -m tests.pipeline.dataframes.fixing URL OUTPUT FAILING: what a job does with fixed rows, no Spark.

It claims them, writes down what it has read, fails those whose id is a multiple of FAILING, and settles the
rest: after each step it prints a line and waits for one, so that it can be killed there.
"""

import sys
from pathlib import Path

from dlqconsole.pipeline.dataframes.claims import QueueClaim, fail_again, read


def main(database_url: str, output: str, failing: int) -> None:
    claim = QueueClaim(database_url, "prices", 1_000, 600.0)
    said("claimed")
    rows = [row for batch in read(database_url, claim.token, 0, 2**62) for row in batch.to_pylist()]
    with Path(output).open("a") as file:
        file.writelines(f"{row['dlq_message']}\n" for row in rows)
    said("written")
    bad = [row["dlq_message"] for row in rows if row["dlq_message"] % failing == 0]
    fail_again(database_url, [(message, claim.token, "RuleFailed: again") for message in bad])
    said("failed")
    said(f"settled {claim.settle()}")


def said(word: str) -> None:
    print(word, flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
