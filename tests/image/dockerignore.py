"""Which files of the checkout Docker gives to a build, by the rules of `.dockerignore`."""

import re
from functools import cache
from pathlib import Path, PurePosixPath

from tests.image.dockerfile import CHECKOUT


def is_kept_out(path: str, rules: str = "") -> bool:
    """The last rule that is about a path, or about a folder above it, decides."""
    whole = PurePosixPath(path)
    names = [str(each) for each in (whole, *whole.parents)]
    kept_out = False
    for pattern, keeps_out in _rules(rules or (CHECKOUT / ".dockerignore").read_text()):
        if any(pattern.fullmatch(name) for name in names):
            kept_out = keeps_out
    return kept_out


def given(source: str) -> list[Path]:
    """The files below a source of COPY, relative to the checkout."""
    whole = CHECKOUT / source
    files = [path for path in whole.rglob("*") if path.is_file()] if whole.is_dir() else [whole]
    relative = [path.relative_to(CHECKOUT) for path in files if path.exists()]
    return [path for path in relative if not is_kept_out(path.as_posix())]


@cache
def _rules(text: str) -> list[tuple[re.Pattern[str], bool]]:
    lines = [line.strip() for line in text.splitlines()]
    rules = [line for line in lines if line and not line.startswith("#")]
    return [(_pattern(rule.removeprefix("!").strip("/")), not rule.startswith("!")) for rule in rules]


def _pattern(rule: str) -> re.Pattern[str]:
    """`**` is any number of folders, `*` and `?` stay within one name; a rule begins at the top."""
    parts = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    words = re.split(r"(\*\*/|\*\*|\*|\?)", rule)
    return re.compile("".join(parts.get(word, re.escape(word)) for word in words))
