"""The examples report to a server that runs, in at most twenty lines each."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from dlqconsole.engine.models import DeadLetter
from tests.accounts import person
from tests.contrib.api.conftest import token
from tests.languages.toolchains import CHECKOUT

EXAMPLES = CHECKOUT / "examples" / "http"
NODE = """
import {{ report }} from "{file}";
const event = {{ id: "7", type: "order.created", data: {{ order_id: 7 }} }};
const answer = await report(event, new TypeError("no “price”"));
console.log(JSON.stringify(answer));
"""


@pytest.fixture
def run(transactional_db, live_server):
    environment = {"PATH": os.environ["PATH"], "DLQ_URL": live_server.url, "DLQ_TOKEN": token(person("shop"))}

    def of(*command, given=b"", **more):
        if shutil.which(command[0]) is None:
            pytest.skip(f"There is no {command[0]} here.")
        return subprocess.run(
            command, env=environment | more, input=given, capture_output=True, check=False, timeout=60
        )

    return of


def test_curl(run):
    script = str(EXAMPLES / "report.sh")
    done = run("sh", script, "7", "order.created", "TimeoutError", "no “price”", given=b'{"order_id": 7}')
    assert done.returncode == 0, done.stderr
    _check(done.stdout, "TimeoutError: no “price”", {"order_id": 7})


def test_curl_says_why_not(run):
    done = run("sh", str(EXAMPLES / "report.sh"), "7", "a", "b", "c", DLQ_TOKEN="dlq_wrong")
    assert done.returncode == 22
    assert "This token is not known here" in json.loads(done.stdout)["detail"]


def test_node(run, tmp_path):
    script = tmp_path / "fails.mjs"
    script.write_text(NODE.format(file=EXAMPLES / "report.mjs"))
    done = run("node", str(script))
    assert done.returncode == 0, done.stderr
    letter = _check(done.stdout, "TypeError: no “price”", None)
    assert letter.payload["data"] == {"order_id": 7}
    assert "fails.mjs" in letter.error_stacktrace


@pytest.mark.parametrize("file", sorted(EXAMPLES.iterdir()), ids=lambda file: file.name)
def test_each_is_short(file: Path):
    text = re.sub(r"(?ms)^import \(.*?^\)|^import .*?$|^package .*?$|^\s*(//|#).*?$", "", file.read_text())
    assert len([line for line in text.splitlines() if line.strip()]) <= 20


def _check(answer, reason, payload):
    letter = DeadLetter.objects.get(pk=json.loads(answer)["id"])
    assert (letter.error_reason, letter.source, letter.source_key) == (reason, "shop", "7")
    if payload is not None:
        assert letter.payload == payload
    return letter
