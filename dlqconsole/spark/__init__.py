"""The calls for anybody's Spark job: its rows through handlers, its bad rows into the console, and back.

from dlqconsole.spark import expect_or_dead_letter, run_handlers
"""

from dlqconsole.pipeline.dataframes.data_source import register
from dlqconsole.pipeline.dataframes.fixed import FixedRows, fixed_rows
from dlqconsole.pipeline.dataframes.handlers import EachBatch, Result, run_handlers
from dlqconsole.pipeline.dataframes.quarantine import (
    bad_records,
    corrupt_records,
    expect_or_dead_letter,
    rescued_data,
)
from dlqconsole.pipeline.dataframes.rules import json_schema
from dlqconsole.pipeline.errors import BadRequest, PipelineProblem
from dlqconsole.pipeline.kafka.data_source import register_kafka

__all__ = [
    "BadRequest",
    "EachBatch",
    "FixedRows",
    "PipelineProblem",
    "Result",
    "bad_records",
    "corrupt_records",
    "expect_or_dead_letter",
    "fixed_rows",
    "json_schema",
    "register",
    "register_kafka",
    "rescued_data",
    "run_handlers",
]
