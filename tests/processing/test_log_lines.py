"""A log line is of our making alone, whatever stands in the names that it tells of."""

import logging
import sys

from django.conf import settings
from django.utils.module_loading import import_string

from dlqconsole.processing.masking.lines import OneLine
from dlqconsole.processing.texts import visible_line

FORGERIES = [
    "a\n2026-01-01 00:00:00,000 INFO dlqconsole approved by ann", "a\rINFO forged", "a\r\nINFO forged",
    "a\u2028INFO", "a\u2029INFO",
    "a\x85INFO", "a\x0bINFO", "a\x0cINFO", "\x1b[2K\x1b[1AINFO", "\x1b]0;title\x07",
    "\x9b31m", "a\x08\x08b",
    "\u202egnol", "\u2066a\u2069", "a\u200bb", "\ufeffa", "\U000e0041", "a\x00b", "\ud800",
]  # fmt: skip
LINE = "forged log lines"


def formatted(message: str, *values: object, error: bool = False) -> str:
    made = import_string(settings.LOGGING["formatters"]["line"]["()"])
    formatter = made(settings.LOGGING["formatters"]["line"]["fmt"])
    info = sys.exc_info() if error else None
    return formatter.format(logging.LogRecord("dlq", logging.INFO, "f", 1, message, values, info))


def test_a_name_begins_no_line_and_does_nothing_to_a_terminal(scorecard):
    forged = [name for name in FORGERIES if not formatted("message 7 on %s", name).isprintable()]
    forged += [name for name in FORGERIES if not formatted(name).isprintable()]
    scorecard(LINE, tried=2 * len(FORGERIES), broke=forged)
    assert formatted("on %s", "a\nb").endswith("INFO dlq on a⟦U+000A⟧b")


def test_the_lines_of_a_traceback_are_set_in(scorecard):
    forged = []
    for name in FORGERIES:
        try:
            raise ValueError(name)
        except ValueError:
            _first, *rest = formatted("failed", error=True).split("\n")
        if not all(line.startswith("  ") and line.isprintable() for line in rest):
            forged.append(name)
    scorecard(LINE, tried=len(FORGERIES), broke=forged)


def test_the_logs_of_all_our_processes_are_made_so():
    assert issubclass(import_string(settings.LOGGING["formatters"]["line"]["()"]), OneLine)


def test_what_is_harmless_stays():
    assert visible_line("Bücher für 10 €\tund mehr 日本語") == "Bücher für 10 €\tund mehr 日本語"
