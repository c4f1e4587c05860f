"""python -m tests.pipeline.dataframes.over_connect FOLDER: each call by Spark Connect; what came of it, JSON.

The session is a client's: it speaks to a server in a process of Java by gRPC, and has no SparkContext.
"""

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from dlqconsole.spark import expect_or_dead_letter, fixed_rows, json_schema, register, run_handlers
from tests.pipeline.hostile import event

RULES = {"positive": "id > 0", "sku": json_schema({"required": ["sku"]}, "body")}


def main(folder: str) -> dict:
    spark = SparkSession.builder.remote("local[2]").getOrCreate()
    said = {"session": type(spark).__module__}
    values = [event(str(number), do="business" if number % 3 == 0 else "nothing") for number in range(12)]
    frame = spark.createDataFrame([(value,) for value in values], "value binary")
    said["frame"] = run_handlers(frame).counts["order.created", "enriched"]
    said["again"] = run_handlers(frame).unchanged

    lines = Path(folder) / "lines"
    lines.mkdir()
    (lines / "a.txt").write_bytes(b"\n".join(event(f"stream-{number}") for number in range(5)))
    stream = spark.readStream.schema("value string").text(str(lines)).writeStream.foreachBatch(run_handlers())
    query = stream.option("checkpointLocation", f"{folder}/one").trigger(availableNow=True).start()
    said["stream"] = query.awaitTermination(300)

    register(spark)
    more = spark.createDataFrame([(values[7],), (event("written"),)], "value binary")
    more.write.format("dlqconsole").mode("append").save()
    dead = spark.read.format("dlqconsole").option("status", "PENDING").load()
    said["read"] = dead.where("category = 'BUSINESS' AND key >= '3'").count()
    try:
        spark.read.format("dlqconsole").option("since", "yesterday").load().count()
    except Exception as error:
        said["refused"] = str(error).splitlines()[0]

    rows = spark.createDataFrame([(1, '{"sku": 1}'), (-1, '{"sku": 1}'), (2, "{}")], "id bigint, body string")
    good = expect_or_dead_letter(rows, RULES, job="rows", key="id")
    said["good"] = [row.id for row in good.collect()]
    with fixed_rows(spark, "rows", schema="id bigint, body string") as fixed:
        said["fixed"] = fixed.rows.count()
    return said


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
