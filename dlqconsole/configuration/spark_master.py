"""Where Spark runs: the forms of a master's address that Spark knows."""

import re

_COUNT = r"(?:\*|[1-9]\d{0,8})"
_FORMS = (
    "local",
    rf"local\[{_COUNT}\]",
    rf"local\[{_COUNT}, ?[1-9]\d{{0,8}}\]",
    r"local-cluster\[[1-9]\d*, ?[1-9]\d*, ?[1-9]\d*\]",
    r"spark://[^\s,/]+:\d+(?:,[^\s,/]+:\d+)*",
    r"k8s://\S+",
    "yarn",
)
_MASTER = re.compile("|".join(_FORMS))
_EXAMPLES = "local[*] or local[2] on this machine, spark://host:7077, yarn or k8s://https://host:443"


def check_spark_master(text: str) -> None:
    """Raises ValueError, a sentence that says what is allowed."""
    if not _MASTER.fullmatch(text):
        raise ValueError(f"It is none of {_EXAMPLES}; the number in brackets is 1 or more.")
