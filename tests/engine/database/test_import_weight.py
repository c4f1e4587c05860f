"""Importing a lower floor must not wake an upper one: Spark workers unpickle functions of processing."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("dlqconsole.processing", ["django", "celery", "psycopg", "pyspark"]),
        ("dlqconsole.core.lifecycle.failures", ["celery", "pyspark"]),
        ("dlqconsole.pipeline", ["django", "celery"]),
        ("dlqconsole.pipeline.settings", ["pydantic"]),
        ("dlqconsole.spark", ["django", "celery", "pydantic"]),
        ("dlqconsole.configuration.reading", ["django", "celery", "psycopg", "pyspark"]),
    ],
)
def test_importing_it_leaves_the_others_out(module, absent):
    code = f"import sys, {module}; print(*[name for name in {absent!r} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == ""


def test_a_worker_and_a_beat_import_no_page():
    """Celery would have Django check them at each start, as nobody reads."""
    code = "import sys; from dlqconsole.celery import app; app.loader.import_default_modules()"
    code += "; print(*{'dlqconsole.retries.tasks', 'dlqconsole.urls'} & {*sys.modules})"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "dlqconsole.retries.tasks"
