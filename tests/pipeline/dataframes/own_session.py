"""A user's program: a session of their own, a frame, run_handlers. Prints what came of it, or why not."""

import json
import sys

from pyspark.sql import SparkSession

from dlqconsole.spark import PipelineProblem, run_handlers

EVENT = """to_json(named_struct('specversion', '1.0', 'id', cast(id AS string), 'source', 'shop',
    'type', 'order.created', 'data', named_struct('do',
        CASE WHEN id = {poison} THEN 'exit' WHEN id % 5 = 0 THEN 'business' ELSE 'nothing' END)))"""


def main(master: str, events: int, partitions: int, poison: int) -> int:
    """Run it; the exit status."""
    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    # an executor that is lost comes back at once
    spark = builder.config("spark.executor.cores", "1").config("spark.executor.memory", "512m").getOrCreate()
    frame = spark.range(0, events, 1, partitions).selectExpr(f"{EVENT.format(poison=poison)} AS value")
    try:
        result = run_handlers(frame)
    except PipelineProblem as problem:
        print(problem)
        return problem.exit_status
    print(json.dumps({"events": result.events, "enriched": result.enriched, "dead": result.dead_letters}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
